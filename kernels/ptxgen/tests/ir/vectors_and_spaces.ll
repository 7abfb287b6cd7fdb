; Four loads side by side are one; a pointer cast from shared memory is one of shared memory.
@tile = internal addrspace(3) global [64 x i32] undef, align 16

define ptx_kernel void @gather(ptr noundef align 16 %out, ptr noundef %in) {
  %t = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %four = shl nuw nsw i32 %t, 2
  %index = zext nneg i32 %four to i64
  %p0 = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 %index
  %p1 = getelementptr inbounds i8, ptr %p0, i64 4
  %p2 = getelementptr inbounds i8, ptr %p0, i64 8
  %p3 = getelementptr inbounds i8, ptr %p0, i64 12
  %a = load i32, ptr %p0, align 4
  %b = load i32, ptr %p1, align 4
  %c = load i32, ptr %p2, align 4
  %d = load i32, ptr %p3, align 4
  %q = getelementptr inbounds i32, ptr %out, i64 %index
  %ab = add i32 %a, %b
  %cd = add i32 %c, %d
  store i32 %ab, ptr %q, align 4
  %q1 = getelementptr inbounds i8, ptr %q, i64 4
  store i32 %cd, ptr %q1, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
