; Two values that change places in every round: the copies of the back edge happen at once.
define ptx_kernel void @swapped(ptr noundef %out, i32 noundef %n) {
entry:
  br label %loop
loop:
  %a = phi i32 [ 1, %entry ], [ %b, %loop ]
  %b = phi i32 [ 2, %entry ], [ %a, %loop ]
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  store i32 %a, ptr %out, align 4
  ret void
}
