; Unoptimised: variables in the frame, a function that is called, inline PTX, a choice of three.
%pair = type { i32, i64 }

define internal i64 @second(ptr noundef byval(%pair) align 8 %p, i8 signext %k) #0 {
  %f = getelementptr inbounds %pair, ptr %p, i32 0, i32 1
  %v = load i64, ptr %f, align 8
  %w = sext i8 %k to i64
  %s = add i64 %v, %w
  ret i64 %s
}

define ptx_kernel void @frames(ptr noundef %out, i8 noundef %k) #0 {
  %own = alloca %pair, align 8
  %f = getelementptr inbounds %pair, ptr %own, i32 0, i32 1
  store i64 40, ptr %f, align 8
  %lane = call i32 asm sideeffect "mov.u32 $0, %laneid;", "=r"()
  switch i32 %lane, label %other [
    i32 0, label %zero
    i32 1, label %zero
  ]
zero:
  %r = call i64 @second(ptr byval(%pair) align 8 %own, i8 signext %k)
  store i64 %r, ptr %out, align 8
  br label %other
other:
  ret void
}

attributes #0 = { noinline optnone }
