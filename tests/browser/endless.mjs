// PTX that does not end, for tests that stop it or that go on beside it.

/** A kernel that goes round until a number of 64 bits is 0 again: nothing can prove that it never ends, and nobody waits so long. */
export const endlessPtx = (kernel) => `.version 8.0
.target sm_80
.address_size 64
.visible .entry ${kernel}(.param .u64 p0)
{
.reg .b64 %rd<4>;
.reg .b32 %r<4>;
.reg .pred %p<2>;
ld.param.u64 %rd1, [p0];
mov.u64 %rd2, 1;
$L:
add.u64 %rd2, %rd2, 1;
st.global.u32 [%rd1], %r1;
setp.ne.u64 %p1, %rd2, 0;
@%p1 bra $L;
ret;
}
`;
