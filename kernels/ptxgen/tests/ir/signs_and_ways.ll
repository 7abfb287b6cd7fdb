; The sign of a float's bits is changed as bits; what goes along an edge is copied ahead of the branch, but not on the way back.
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @signs(ptr %bits, ptr %numbers, float %x, i32 %n) {
entry:
  %negative = fneg float %x
  %flipped = bitcast float %negative to i32
  store i32 %flipped, ptr %bits, align 4
  %magnitude = call float @llvm.fabs.f32(float %x)
  %both = fneg float %magnitude
  %set = bitcast float %both to i32
  %second = getelementptr i32, ptr %bits, i64 64
  store i32 %set, ptr %second, align 4
  %kept = fneg float %x
  store float %kept, ptr %numbers, align 4
  %positive = icmp sgt i32 %n, 0
  br i1 %positive, label %more, label %join

more:
  %loaded = load float, ptr %numbers, align 4
  %sum = fadd float %loaded, %x
  br label %join

join:
  %way = phi float [ %x, %entry ], [ %sum, %more ]
  br label %loop

loop:
  %i = phi i32 [ 0, %join ], [ %next, %loop ]
  %before = phi i32 [ 1, %join ], [ %i, %loop ]
  %next = add i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end

end:
  %last = sitofp i32 %before to float
  %result = fadd float %way, %last
  %third = getelementptr float, ptr %numbers, i64 64
  store float %result, ptr %third, align 4
  ret void
}

declare float @llvm.fabs.f32(float)
