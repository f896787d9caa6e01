; ModuleID = '/strings.cu'
source_filename = "/strings.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
define dso_local ptx_kernel void @find_pattern(ptr noundef readonly captures(none) %text, i32 noundef %n, ptr noundef readonly captures(none) %pattern, i32 noundef %m, ptr noundef writeonly captures(none) %bitmap, ptr noundef captures(none) %count) local_unnamed_addr #0 !dbg !11 {
entry:
  %0 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !15
  %1 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !19
  %mul = mul i32 %0, %1, !dbg !22
  %2 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !23
  %add = add i32 %mul, %2, !dbg !26
  %add3 = add nsw i32 %m, %add, !dbg !27
  %cmp = icmp sle i32 %add3, %n, !dbg !28
  %cmp431 = icmp sgt i32 %m, 0, !dbg !29
  %3 = and i1 %cmp, %cmp431, !dbg !29
  br i1 %3, label %for.body.preheader, label %for.cond.cleanup, !dbg !30

for.body.preheader:                               ; preds = %entry
  %4 = sext i32 %add to i64, !dbg !30
  %5 = zext nneg i32 %m to i64, !dbg !30
  %invariant.gep = getelementptr i8, ptr %text, i64 %4, !dbg !30
  br label %for.body, !dbg !30

for.cond.cleanup:                                 ; preds = %for.body, %entry
  %match.0.in.lcssa = phi i1 [ %cmp, %entry ], [ %cmp9, %for.body ]
  %6 = tail call noundef i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %match.0.in.lcssa), !dbg !31
  %and = and i32 %2, 31, !dbg !35
  %cmp15 = icmp eq i32 %and, 0, !dbg !36
  br i1 %cmp15, label %if.then, label %if.end21, !dbg !36

for.body:                                         ; preds = %for.body.preheader, %for.body
  %indvars.iv = phi i64 [ 0, %for.body.preheader ], [ %indvars.iv.next, %for.body ]
  %gep = getelementptr i8, ptr %invariant.gep, i64 %indvars.iv, !dbg !37
  %7 = load i8, ptr %gep, align 1, !dbg !37, !tbaa !38
  %arrayidx7 = getelementptr inbounds nuw i8, ptr %pattern, i64 %indvars.iv, !dbg !39
  %8 = load i8, ptr %arrayidx7, align 1, !dbg !39, !tbaa !38
  %cmp9 = icmp eq i8 %7, %8, !dbg !40
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1, !dbg !41
  %cmp4 = icmp samesign ult i64 %indvars.iv.next, %5, !dbg !29
  %9 = select i1 %cmp9, i1 %cmp4, i1 false, !dbg !29
  br i1 %9, label %for.body, label %for.cond.cleanup, !dbg !30, !llvm.loop !42

if.then:                                          ; preds = %for.cond.cleanup
  %shr = ashr i32 %add, 5, !dbg !45
  %idxprom16 = sext i32 %shr to i64, !dbg !46
  %arrayidx17 = getelementptr inbounds i32, ptr %bitmap, i64 %idxprom16, !dbg !46
  store i32 %6, ptr %arrayidx17, align 4, !dbg !47, !tbaa !7
  %tobool.not = icmp eq i32 %6, 0, !dbg !48
  br i1 %tobool.not, label %if.end21, label %if.then18, !dbg !48

if.then18:                                        ; preds = %if.then
  %10 = tail call noundef range(i32 1, 33) i32 @llvm.ctpop.i32(i32 range(i32 1, 0) %6), !dbg !49
  %11 = atomicrmw add ptr %count, i32 %10 monotonic, align 4, !dbg !56
  br label %if.end21, !dbg !60

if.end21:                                         ; preds = %if.then, %if.then18, %for.cond.cleanup
  ret void, !dbg !61
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

; Function Attrs: convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
define dso_local ptx_kernel void @find_byte(ptr noundef readonly captures(none) %text, ptr noundef writeonly captures(none) %where, i32 noundef %perWarp, i32 noundef %wanted) local_unnamed_addr #0 !dbg !62 {
entry:
  %0 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !63
  %1 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !65
  %mul = mul i32 %0, %1, !dbg !67
  %2 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !68
  %add = add i32 %mul, %2, !dbg !70
  %shr = lshr i32 %add, 5, !dbg !71
  %and = and i32 %2, 31, !dbg !72
  %mul4 = mul nsw i32 %perWarp, %shr, !dbg !73
  %idx.ext = sext i32 %mul4 to i64, !dbg !74
  %add.ptr = getelementptr inbounds i8, ptr %text, i64 %idx.ext, !dbg !74
  %cmp34 = icmp sgt i32 %perWarp, 0, !dbg !75
  br i1 %cmp34, label %for.body.preheader, label %cleanup15, !dbg !76

for.body.preheader:                               ; preds = %entry
  %3 = zext nneg i32 %and to i64, !dbg !76
  br label %for.body, !dbg !76

for.body:                                         ; preds = %for.body.preheader, %for.inc
  %indvars.iv = phi i64 [ 0, %for.body.preheader ], [ %indvars.iv.next, %for.inc ]
  %4 = or disjoint i64 %indvars.iv, %3, !dbg !77
  %5 = trunc nuw i64 %4 to i32, !dbg !78
  %cmp6 = icmp sgt i32 %perWarp, %5, !dbg !78
  br i1 %cmp6, label %land.rhs, label %land.end, !dbg !79

land.rhs:                                         ; preds = %for.body
  %arrayidx = getelementptr inbounds nuw i8, ptr %add.ptr, i64 %4, !dbg !80
  %6 = load i8, ptr %arrayidx, align 1, !dbg !80, !tbaa !38
  %conv = zext i8 %6 to i32, !dbg !80
  %cmp8 = icmp eq i32 %wanted, %conv, !dbg !81
  br label %land.end

land.end:                                         ; preds = %land.rhs, %for.body
  %conv9 = phi i1 [ false, %for.body ], [ %cmp8, %land.rhs ], !dbg !82
  %7 = tail call noundef i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %conv9), !dbg !83
  %tobool.not = icmp eq i32 %7, 0, !dbg !85
  br i1 %tobool.not, label %for.inc, label %cleanup, !dbg !85

cleanup:                                          ; preds = %land.end
  %8 = trunc nuw nsw i64 %indvars.iv to i32, !dbg !86
  %9 = tail call range(i32 0, 33) i32 @llvm.cttz.i32(i32 range(i32 1, 0) %7, i1 true), !dbg !86
  %sub = or disjoint i32 %9, %8, !dbg !91
  br label %cleanup15

for.inc:                                          ; preds = %land.end
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 32, !dbg !92
  %10 = trunc nuw i64 %indvars.iv.next to i32, !dbg !75
  %cmp = icmp sgt i32 %perWarp, %10, !dbg !75
  br i1 %cmp, label %for.body, label %cleanup15, !dbg !76, !llvm.loop !93

cleanup15:                                        ; preds = %for.inc, %entry, %cleanup
  %at.2 = phi i32 [ %sub, %cleanup ], [ -1, %entry ], [ -1, %for.inc ], !dbg !82
  %cmp16 = icmp eq i32 %and, 0, !dbg !95
  br i1 %cmp16, label %if.then17, label %if.end20, !dbg !95

if.then17:                                        ; preds = %cleanup15
  %idxprom18 = zext nneg i32 %shr to i64, !dbg !96
  %arrayidx19 = getelementptr inbounds nuw i32, ptr %where, i64 %idxprom18, !dbg !96
  store i32 %at.2, ptr %arrayidx19, align 4, !dbg !97, !tbaa !7
  br label %if.end20, !dbg !96

if.end20:                                         ; preds = %if.then17, %cleanup15
  ret void, !dbg !98
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @to_upper(ptr noundef readonly captures(none) %in, ptr noundef writeonly captures(none) %out, i32 noundef %n) local_unnamed_addr #2 !dbg !99 {
entry:
  %0 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !100
  %1 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !102
  %mul = mul i32 %0, %1, !dbg !104
  %2 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !105
  %add = add i32 %mul, %2, !dbg !107
  %mul3 = shl i32 %add, 2, !dbg !108
  %add4 = add nsw i32 %mul3, 4, !dbg !109
  %cmp.not = icmp sgt i32 %add4, %n, !dbg !110
  br i1 %cmp.not, label %for.cond13.preheader, label %if.then, !dbg !110

for.cond13.preheader:                             ; preds = %entry
  %cmp1451 = icmp slt i32 %mul3, %n, !dbg !111
  br i1 %cmp1451, label %for.body15.preheader, label %if.end29, !dbg !112

for.body15.preheader:                             ; preds = %for.cond13.preheader
  %3 = sext i32 %mul3 to i64, !dbg !112
  %wide.trip.count = sext i32 %n to i64, !dbg !111
  br label %for.body15, !dbg !112

if.then:                                          ; preds = %entry
  %idx.ext = sext i32 %mul3 to i64, !dbg !113
  %add.ptr = getelementptr inbounds i8, ptr %in, i64 %idx.ext, !dbg !113
  %4 = load i32, ptr %add.ptr, align 4, !dbg !113, !tbaa !7
  %and = and i32 %4, 255, !dbg !114
  %5 = add nsw i32 %and, -97, !dbg !115
  %or.cond = icmp ult i32 %5, 26, !dbg !115
  %or = select i1 %or.cond, i32 32, i32 0, !dbg !115
  %shr.1 = lshr i32 %4, 8, !dbg !116
  %and.1 = and i32 %shr.1, 255, !dbg !114
  %6 = add nsw i32 %and.1, -97, !dbg !115
  %or.cond.1 = icmp ult i32 %6, 26, !dbg !115
  %or.1 = select i1 %or.cond.1, i32 8192, i32 0, !dbg !115
  %lower.1.1 = or disjoint i32 %or.1, %or, !dbg !115
  %shr.2 = lshr i32 %4, 16, !dbg !116
  %and.2 = and i32 %shr.2, 255, !dbg !114
  %7 = add nsw i32 %and.2, -97, !dbg !115
  %or.cond.2 = icmp ult i32 %7, 26, !dbg !115
  %or.2 = select i1 %or.cond.2, i32 2097152, i32 0, !dbg !115
  %lower.1.2 = or disjoint i32 %or.2, %lower.1.1, !dbg !115
  %shr.3 = lshr i32 %4, 24, !dbg !116
  %8 = add nsw i32 %shr.3, -97, !dbg !115
  %or.cond.3 = icmp ult i32 %8, 26, !dbg !115
  %or.3 = select i1 %or.cond.3, i32 536870912, i32 0, !dbg !115
  %lower.1.3 = or disjoint i32 %or.3, %lower.1.2, !dbg !115
  %xor = xor i32 %lower.1.3, %4, !dbg !117
  %add.ptr12 = getelementptr inbounds i8, ptr %out, i64 %idx.ext, !dbg !118
  store i32 %xor, ptr %add.ptr12, align 4, !dbg !119, !tbaa !7
  br label %if.end29, !dbg !120

for.body15:                                       ; preds = %for.body15.preheader, %for.body15
  %indvars.iv = phi i64 [ %3, %for.body15.preheader ], [ %indvars.iv.next, %for.body15 ]
  %arrayidx = getelementptr inbounds i8, ptr %in, i64 %indvars.iv, !dbg !121
  %9 = load i8, ptr %arrayidx, align 1, !dbg !121, !tbaa !38
  %10 = add i8 %9, -97, !dbg !122
  %or.cond48 = icmp ult i8 %10, 26, !dbg !122
  %sub = add nsw i8 %9, -32, !dbg !122
  %cond = select i1 %or.cond48, i8 %sub, i8 %9, !dbg !122
  %arrayidx25 = getelementptr inbounds i8, ptr %out, i64 %indvars.iv, !dbg !123
  store i8 %cond, ptr %arrayidx25, align 1, !dbg !124, !tbaa !38
  %indvars.iv.next = add nsw i64 %indvars.iv, 1, !dbg !125
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count, !dbg !111
  br i1 %exitcond.not, label %if.end29, label %for.body15, !dbg !112, !llvm.loop !126

if.end29:                                         ; preds = %for.body15, %for.cond13.preheader, %if.then
  ret void, !dbg !128
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @parse_decimal(ptr noundef readonly captures(none) %text, ptr noundef writeonly captures(none) %value, ptr noundef writeonly captures(none) %bad, i32 noundef %width, i32 noundef %n) local_unnamed_addr #2 !dbg !129 {
entry:
  %0 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !130
  %1 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !132
  %mul = mul i32 %0, %1, !dbg !134
  %2 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !135
  %add = add i32 %mul, %2, !dbg !137
  %cmp.not = icmp slt i32 %add, %n, !dbg !138
  br i1 %cmp.not, label %if.end, label %cleanup, !dbg !138

if.end:                                           ; preds = %entry
  %mul3 = mul nsw i32 %width, %add, !dbg !139
  %idx.ext = sext i32 %mul3 to i64, !dbg !140
  %add.ptr = getelementptr inbounds i8, ptr %text, i64 %idx.ext, !dbg !140
  %cmp483 = icmp sgt i32 %width, 0, !dbg !141
  br i1 %cmp483, label %land.rhs.preheader, label %if.end21, !dbg !142

land.rhs.preheader:                               ; preds = %if.end
  %wide.trip.count = zext nneg i32 %width to i64, !dbg !141
  br label %land.rhs, !dbg !143

land.rhs:                                         ; preds = %land.rhs.preheader, %while.body
  %indvars.iv = phi i64 [ 0, %land.rhs.preheader ], [ %indvars.iv.next, %while.body ]
  %arrayidx = getelementptr inbounds nuw i8, ptr %add.ptr, i64 %indvars.iv, !dbg !144
  %3 = load i8, ptr %arrayidx, align 1, !dbg !144, !tbaa !38
  switch i8 %3, label %if.end21.loopexit [
    i8 32, label %while.body
    i8 45, label %if.then15
    i8 43, label %if.then15
  ], !dbg !143

while.body:                                       ; preds = %land.rhs
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1, !dbg !145
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count, !dbg !141
  br i1 %exitcond.not, label %for.end, label %land.rhs, !dbg !142, !llvm.loop !146

if.then15:                                        ; preds = %land.rhs, %land.rhs
  %4 = trunc nuw nsw i64 %indvars.iv to i32
  %inc16 = add nuw nsw i32 %4, 1, !dbg !147
  %cmp20 = icmp eq i8 %3, 45, !dbg !148
  %cond = select i1 %cmp20, i32 -1, i32 1, !dbg !149
  br label %if.end21, !dbg !150

if.end21.loopexit:                                ; preds = %land.rhs
  %5 = trunc nuw nsw i64 %indvars.iv to i32
  br label %if.end21, !dbg !151

if.end21:                                         ; preds = %if.end21.loopexit, %if.end, %if.then15
  %k.1 = phi i32 [ %inc16, %if.then15 ], [ 0, %if.end ], [ %5, %if.end21.loopexit ], !dbg !152
  %sign.0 = phi i32 [ %cond, %if.then15 ], [ 1, %if.end ], [ 1, %if.end21.loopexit ], !dbg !152
  %cmp2286 = icmp slt i32 %k.1, %width, !dbg !151
  br i1 %cmp2286, label %land.lhs.true23.preheader, label %for.end, !dbg !153

land.lhs.true23.preheader:                        ; preds = %if.end21
  %6 = sext i32 %k.1 to i64, !dbg !154
  %7 = sub i32 %width, %k.1, !dbg !154
  br label %land.lhs.true23, !dbg !154

land.lhs.true23:                                  ; preds = %land.lhs.true23.preheader, %for.body
  %indvars.iv98 = phi i64 [ %6, %land.lhs.true23.preheader ], [ %indvars.iv.next99, %for.body ]
  %digits.089 = phi i32 [ 0, %land.lhs.true23.preheader ], [ %inc40, %for.body ]
  %v.088 = phi i32 [ 0, %land.lhs.true23.preheader ], [ %add38, %for.body ]
  %arrayidx25 = getelementptr inbounds i8, ptr %add.ptr, i64 %indvars.iv98, !dbg !155
  %8 = load i8, ptr %arrayidx25, align 1, !dbg !155, !tbaa !38
  %9 = add i8 %8, -48, !dbg !156
  %or.cond = icmp ult i8 %9, 10, !dbg !156
  br i1 %or.cond, label %for.body, label %for.end.loopexit.split.loop.exit, !dbg !156

for.body:                                         ; preds = %land.lhs.true23
  %mul34 = mul nsw i32 %v.088, 10, !dbg !157
  %sub = zext nneg i8 %9 to i32, !dbg !158
  %add38 = add nsw i32 %mul34, %sub, !dbg !159
  %indvars.iv.next99 = add nsw i64 %indvars.iv98, 1, !dbg !160
  %inc40 = add nuw i32 %digits.089, 1, !dbg !161
  %exitcond100.not = icmp eq i32 %inc40, %7, !dbg !151
  br i1 %exitcond100.not, label %for.end.loopexit, label %land.lhs.true23, !dbg !153, !llvm.loop !162

for.end.loopexit.split.loop.exit:                 ; preds = %land.lhs.true23
  %10 = trunc nsw i64 %indvars.iv98 to i32
  %11 = icmp eq i32 %digits.089, 0, !dbg !164
  br label %for.end.loopexit, !dbg !164

for.end.loopexit:                                 ; preds = %for.body, %for.end.loopexit.split.loop.exit
  %k.2.lcssa.ph = phi i32 [ %10, %for.end.loopexit.split.loop.exit ], [ %width, %for.body ]
  %v.0.lcssa.ph = phi i32 [ %v.088, %for.end.loopexit.split.loop.exit ], [ %add38, %for.body ]
  %digits.0.lcssa.ph = phi i1 [ %11, %for.end.loopexit.split.loop.exit ], [ false, %for.body ]
  %12 = mul nsw i32 %v.0.lcssa.ph, %sign.0, !dbg !165
  br label %for.end, !dbg !164

for.end:                                          ; preds = %while.body, %for.end.loopexit, %if.end21
  %k.2.lcssa = phi i32 [ %k.1, %if.end21 ], [ %k.2.lcssa.ph, %for.end.loopexit ], [ %width, %while.body ], !dbg !152
  %v.0.lcssa = phi i32 [ 0, %if.end21 ], [ %12, %for.end.loopexit ], [ 0, %while.body ], !dbg !152
  %digits.0.lcssa = phi i1 [ true, %if.end21 ], [ %digits.0.lcssa.ph, %for.end.loopexit ], [ true, %while.body ], !dbg !152
  %cmp43 = icmp ne i32 %k.2.lcssa, %width, !dbg !166
  %.not = or i1 %cmp43, %digits.0.lcssa, !dbg !165
  %cond46 = select i1 %.not, i32 0, i32 %v.0.lcssa, !dbg !165
  %idxprom47 = sext i32 %add to i64, !dbg !167
  %arrayidx48 = getelementptr inbounds i32, ptr %value, i64 %idxprom47, !dbg !167
  store i32 %cond46, ptr %arrayidx48, align 4, !dbg !168, !tbaa !7
  %conv51 = sext i1 %.not to i8, !dbg !169
  %arrayidx53 = getelementptr inbounds i8, ptr %bad, i64 %idxprom47, !dbg !170
  store i8 %conv51, ptr %arrayidx53, align 1, !dbg !171, !tbaa !38
  br label %cleanup, !dbg !172

cleanup:                                          ; preds = %entry, %for.end
  ret void, !dbg !172
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @edit_distance(ptr noundef readonly captures(none) %a, ptr noundef readonly captures(none) %b, ptr noundef writeonly captures(none) %out, i32 noundef %n) local_unnamed_addr #2 !dbg !173 {
entry:
  %row = alloca [13 x i8], align 1
  %0 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !174
  %1 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !176
  %mul = mul i32 %0, %1, !dbg !178
  %2 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !179
  %add = add i32 %mul, %2, !dbg !181
  %cmp.not = icmp slt i32 %add, %n, !dbg !182
  br i1 %cmp.not, label %if.end, label %cleanup, !dbg !182

if.end:                                           ; preds = %entry
  call void @llvm.lifetime.start.p0(ptr nonnull %row) #7, !dbg !183
  %arrayidx.1 = getelementptr inbounds nuw i8, ptr %row, i64 1, !dbg !184
  store i8 1, ptr %arrayidx.1, align 1, !dbg !185, !tbaa !38
  %arrayidx.2 = getelementptr inbounds nuw i8, ptr %row, i64 2, !dbg !184
  store i8 2, ptr %arrayidx.2, align 1, !dbg !185, !tbaa !38
  %arrayidx.3 = getelementptr inbounds nuw i8, ptr %row, i64 3, !dbg !184
  store i8 3, ptr %arrayidx.3, align 1, !dbg !185, !tbaa !38
  %arrayidx.4 = getelementptr inbounds nuw i8, ptr %row, i64 4, !dbg !184
  store i8 4, ptr %arrayidx.4, align 1, !dbg !185, !tbaa !38
  %arrayidx.5 = getelementptr inbounds nuw i8, ptr %row, i64 5, !dbg !184
  store i8 5, ptr %arrayidx.5, align 1, !dbg !185, !tbaa !38
  %arrayidx.6 = getelementptr inbounds nuw i8, ptr %row, i64 6, !dbg !184
  store i8 6, ptr %arrayidx.6, align 1, !dbg !185, !tbaa !38
  %arrayidx.7 = getelementptr inbounds nuw i8, ptr %row, i64 7, !dbg !184
  store i8 7, ptr %arrayidx.7, align 1, !dbg !185, !tbaa !38
  %arrayidx.8 = getelementptr inbounds nuw i8, ptr %row, i64 8, !dbg !184
  store i8 8, ptr %arrayidx.8, align 1, !dbg !185, !tbaa !38
  %arrayidx.9 = getelementptr inbounds nuw i8, ptr %row, i64 9, !dbg !184
  store i8 9, ptr %arrayidx.9, align 1, !dbg !185, !tbaa !38
  %arrayidx.10 = getelementptr inbounds nuw i8, ptr %row, i64 10, !dbg !184
  store i8 10, ptr %arrayidx.10, align 1, !dbg !185, !tbaa !38
  %arrayidx.11 = getelementptr inbounds nuw i8, ptr %row, i64 11, !dbg !184
  store i8 11, ptr %arrayidx.11, align 1, !dbg !185, !tbaa !38
  %arrayidx.12 = getelementptr inbounds nuw i8, ptr %row, i64 12, !dbg !184
  store i8 12, ptr %arrayidx.12, align 1, !dbg !185, !tbaa !38
  %mul3 = mul nsw i32 %add, 12, !dbg !186
  %idx.ext = sext i32 %mul3 to i64, !dbg !187
  %add.ptr = getelementptr inbounds i8, ptr %a, i64 %idx.ext, !dbg !187
  %add.ptr6 = getelementptr inbounds i8, ptr %b, i64 %idx.ext, !dbg !188
  br label %for.body11, !dbg !189

for.cond.cleanup10:                               ; preds = %for.cond.cleanup17
  %3 = load i8, ptr %arrayidx.12, align 1, !dbg !190, !tbaa !38
  %idxprom50 = sext i32 %add to i64, !dbg !191
  %arrayidx51 = getelementptr inbounds i8, ptr %out, i64 %idxprom50, !dbg !191
  store i8 %3, ptr %arrayidx51, align 1, !dbg !192, !tbaa !38
  call void @llvm.lifetime.end.p0(ptr nonnull %row) #7, !dbg !193
  br label %cleanup, !dbg !193

for.body11:                                       ; preds = %if.end, %for.cond.cleanup17
  %indvars.iv76 = phi i64 [ 1, %if.end ], [ %indvars.iv.next77, %for.cond.cleanup17 ]
  %conv137273 = phi i8 [ 0, %if.end ], [ %conv13, %for.cond.cleanup17 ]
  %conv13 = trunc i64 %indvars.iv76 to i8, !dbg !194
  %4 = getelementptr i8, ptr %add.ptr, i64 %indvars.iv76
  %arrayidx30 = getelementptr i8, ptr %4, i64 -1
  %5 = load i8, ptr %arrayidx30, align 1, !tbaa !38
  br label %for.body18, !dbg !195

for.cond.cleanup17:                               ; preds = %for.body18
  %indvars.iv.next77 = add nuw nsw i64 %indvars.iv76, 1, !dbg !196
  %exitcond78.not = icmp eq i64 %indvars.iv.next77, 13, !dbg !197
  br i1 %exitcond78.not, label %for.cond.cleanup10, label %for.body11, !dbg !189, !llvm.loop !198

for.body18:                                       ; preds = %for.body11, %for.body18
  %6 = phi i8 [ %conv13, %for.body11 ], [ %conv40, %for.body18 ], !dbg !201
  %indvars.iv = phi i64 [ 1, %for.body11 ], [ %indvars.iv.next, %for.body18 ]
  %diagonal.070 = phi i8 [ %conv137273, %for.body11 ], [ %7, %for.body18 ]
  %arrayidx20 = getelementptr inbounds nuw i8, ptr %row, i64 %indvars.iv, !dbg !202
  %7 = load i8, ptr %arrayidx20, align 1, !dbg !202, !tbaa !38
  %8 = tail call i8 @llvm.umin.i8(i8 %7, i8 %6), !dbg !203
  %9 = zext i8 %8 to i32, !dbg !203
  %add26 = add nuw nsw i32 %9, 1, !dbg !209
  %conv27 = zext i8 %diagonal.070 to i32, !dbg !210
  %10 = getelementptr i8, ptr %add.ptr6, i64 %indvars.iv, !dbg !211
  %arrayidx34 = getelementptr i8, ptr %10, i64 -1, !dbg !211
  %11 = load i8, ptr %arrayidx34, align 1, !dbg !211, !tbaa !38
  %cmp36 = icmp ne i8 %5, %11, !dbg !212
  %conv37 = zext i1 %cmp36 to i32, !dbg !213
  %add38 = add nuw nsw i32 %conv37, %conv27, !dbg !214
  %12 = tail call i32 @llvm.umin.i32(i32 %add26, i32 %add38), !dbg !215
  %conv40 = trunc i32 %12 to i8, !dbg !218
  store i8 %conv40, ptr %arrayidx20, align 1, !dbg !219, !tbaa !38
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1, !dbg !220
  %exitcond.not = icmp eq i64 %indvars.iv.next, 13, !dbg !221
  br i1 %exitcond.not, label %for.cond.cleanup17, label %for.body18, !dbg !195, !llvm.loop !222

cleanup:                                          ; preds = %entry, %for.cond.cleanup10
  ret void, !dbg !193
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #3

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1) #4

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctpop.i32(i32) #5

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.cttz.i32(i32, i1 immarg) #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umin.i32(i32, i32) #6

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i8 @llvm.umin.i8(i8, i8) #6

attributes #0 = { convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx83,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nofree noinline norecurse nosync nounwind memory(argmem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx83,+sm_80" "uniform-work-group-size"="true" }
attributes #3 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #5 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #6 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #7 = { nounwind }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3, !4, !5}
!llvm.ident = !{!6}
!llvm.errno.tbaa = !{!7}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "clang version 22.1.0 (https://codeberg.org/YoWASP/llvm-project 9560ae0f2cc440e4fc891fddbc119da6f56daa59)", isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "/<stdin>", directory: "")
!2 = !{i32 7, !"Dwarf Version", i32 2}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{i32 1, !"wchar_size", i32 4}
!5 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!6 = !{!"clang version 22.1.0 (https://codeberg.org/YoWASP/llvm-project 9560ae0f2cc440e4fc891fddbc119da6f56daa59)"}
!7 = !{!8, !8, i64 0}
!8 = !{!"int", !9, i64 0}
!9 = !{!"omnipotent char", !10, i64 0}
!10 = !{!"Simple C++ TBAA"}
!11 = distinct !DISubprogram(name: "find_pattern", scope: !12, file: !12, line: 4, type: !13, scopeLine: 4, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!12 = !DIFile(filename: "/strings.cu", directory: "")
!13 = !DISubroutineType(types: !14)
!14 = !{}
!15 = !DILocation(line: 66, column: 27, scope: !16, inlinedAt: !18)
!16 = distinct !DISubprogram(name: "__fetch_builtin_x", scope: !17, file: !17, line: 66, type: !13, scopeLine: 66, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!17 = !DIFile(filename: "/usr/include/__clang_cuda_builtin_vars.h", directory: "")
!18 = distinct !DILocation(line: 5, column: 11, scope: !11)
!19 = !DILocation(line: 79, column: 27, scope: !20, inlinedAt: !21)
!20 = distinct !DISubprogram(name: "__fetch_builtin_x", scope: !17, file: !17, line: 79, type: !13, scopeLine: 79, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!21 = distinct !DILocation(line: 5, column: 24, scope: !11)
!22 = !DILocation(line: 5, column: 22, scope: !11)
!23 = !DILocation(line: 53, column: 27, scope: !24, inlinedAt: !25)
!24 = distinct !DISubprogram(name: "__fetch_builtin_x", scope: !17, file: !17, line: 53, type: !13, scopeLine: 53, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!25 = distinct !DILocation(line: 5, column: 37, scope: !11)
!26 = !DILocation(line: 5, column: 35, scope: !11)
!27 = !DILocation(line: 6, column: 18, scope: !11)
!28 = !DILocation(line: 6, column: 22, scope: !11)
!29 = !DILocation(line: 7, column: 25, scope: !11)
!30 = !DILocation(line: 7, column: 3, scope: !11)
!31 = !DILocation(line: 211, column: 10, scope: !32, inlinedAt: !34)
!32 = distinct !DISubprogram(name: "__ballot_sync", scope: !33, file: !33, line: 210, type: !13, scopeLine: 210, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!33 = !DIFile(filename: "/usr/include/__clang_cuda_intrinsics.h", directory: "")
!34 = distinct !DILocation(line: 8, column: 20, scope: !11)
!35 = !DILocation(line: 9, column: 20, scope: !11)
!36 = !DILocation(line: 9, column: 26, scope: !11)
!37 = !DILocation(line: 7, column: 48, scope: !11)
!38 = !{!9, !9, i64 0}
!39 = !DILocation(line: 7, column: 63, scope: !11)
!40 = !DILocation(line: 7, column: 60, scope: !11)
!41 = !DILocation(line: 7, column: 36, scope: !11)
!42 = distinct !{!42, !30, !43, !44}
!43 = !DILocation(line: 7, column: 72, scope: !11)
!44 = !{!"llvm.loop.mustprogress"}
!45 = !DILocation(line: 10, column: 14, scope: !11)
!46 = !DILocation(line: 10, column: 5, scope: !11)
!47 = !DILocation(line: 10, column: 20, scope: !11)
!48 = !DILocation(line: 11, column: 9, scope: !11)
!49 = !DILocation(line: 18, column: 43, scope: !50, inlinedAt: !52)
!50 = distinct !DISubprogram(name: "__nv_popc", scope: !51, file: !51, line: 18, type: !13, scopeLine: 18, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!51 = !DIFile(filename: "/headers/libdevice.h", directory: "")
!52 = distinct !DILocation(line: 505, column: 50, scope: !53, inlinedAt: !55)
!53 = distinct !DISubprogram(name: "__popc", scope: !54, file: !54, line: 505, type: !13, scopeLine: 505, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!54 = !DIFile(filename: "/usr/include/__clang_cuda_device_functions.h", directory: "")
!55 = distinct !DILocation(line: 11, column: 33, scope: !11)
!56 = !DILocation(line: 26, column: 1, scope: !57, inlinedAt: !59)
!57 = distinct !DISubprogram(name: "atomicAdd", scope: !58, file: !58, line: 26, type: !13, scopeLine: 26, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!58 = !DIFile(filename: "/headers/atomics.h", directory: "")
!59 = distinct !DILocation(line: 11, column: 16, scope: !11)
!60 = !DILocation(line: 11, column: 16, scope: !11)
!61 = !DILocation(line: 13, column: 1, scope: !11)
!62 = distinct !DISubprogram(name: "find_byte", scope: !12, file: !12, line: 16, type: !13, scopeLine: 16, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!63 = !DILocation(line: 66, column: 27, scope: !16, inlinedAt: !64)
!64 = distinct !DILocation(line: 17, column: 15, scope: !62)
!65 = !DILocation(line: 79, column: 27, scope: !20, inlinedAt: !66)
!66 = distinct !DILocation(line: 17, column: 28, scope: !62)
!67 = !DILocation(line: 17, column: 26, scope: !62)
!68 = !DILocation(line: 53, column: 27, scope: !24, inlinedAt: !69)
!69 = distinct !DILocation(line: 17, column: 41, scope: !62)
!70 = !DILocation(line: 17, column: 39, scope: !62)
!71 = !DILocation(line: 17, column: 54, scope: !62)
!72 = !DILocation(line: 17, column: 79, scope: !62)
!73 = !DILocation(line: 18, column: 43, scope: !62)
!74 = !DILocation(line: 18, column: 36, scope: !62)
!75 = !DILocation(line: 20, column: 27, scope: !62)
!76 = !DILocation(line: 20, column: 3, scope: !62)
!77 = !DILocation(line: 21, column: 21, scope: !62)
!78 = !DILocation(line: 21, column: 28, scope: !62)
!79 = !DILocation(line: 21, column: 38, scope: !62)
!80 = !DILocation(line: 21, column: 41, scope: !62)
!81 = !DILocation(line: 21, column: 59, scope: !62)
!82 = !DILocation(line: 0, scope: !62)
!83 = !DILocation(line: 211, column: 10, scope: !32, inlinedAt: !84)
!84 = distinct !DILocation(line: 22, column: 21, scope: !62)
!85 = !DILocation(line: 23, column: 9, scope: !62)
!86 = !DILocation(line: 22, column: 42, scope: !87, inlinedAt: !88)
!87 = distinct !DISubprogram(name: "__nv_ffs", scope: !51, file: !51, line: 22, type: !13, scopeLine: 22, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!88 = distinct !DILocation(line: 224, column: 40, scope: !89, inlinedAt: !90)
!89 = distinct !DISubprogram(name: "__ffs", scope: !54, file: !54, line: 224, type: !13, scopeLine: 224, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!90 = distinct !DILocation(line: 24, column: 19, scope: !62)
!91 = !DILocation(line: 24, column: 31, scope: !62)
!92 = !DILocation(line: 20, column: 43, scope: !62)
!93 = distinct !{!93, !76, !94, !44}
!94 = !DILocation(line: 27, column: 3, scope: !62)
!95 = !DILocation(line: 28, column: 12, scope: !62)
!96 = !DILocation(line: 28, column: 18, scope: !62)
!97 = !DILocation(line: 28, column: 30, scope: !62)
!98 = !DILocation(line: 29, column: 1, scope: !62)
!99 = distinct !DISubprogram(name: "to_upper", scope: !12, file: !12, line: 32, type: !13, scopeLine: 32, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!100 = !DILocation(line: 66, column: 27, scope: !16, inlinedAt: !101)
!101 = distinct !DILocation(line: 33, column: 12, scope: !99)
!102 = !DILocation(line: 79, column: 27, scope: !20, inlinedAt: !103)
!103 = distinct !DILocation(line: 33, column: 25, scope: !99)
!104 = !DILocation(line: 33, column: 23, scope: !99)
!105 = !DILocation(line: 53, column: 27, scope: !24, inlinedAt: !106)
!106 = distinct !DILocation(line: 33, column: 38, scope: !99)
!107 = !DILocation(line: 33, column: 36, scope: !99)
!108 = !DILocation(line: 33, column: 51, scope: !99)
!109 = !DILocation(line: 34, column: 9, scope: !99)
!110 = !DILocation(line: 34, column: 13, scope: !99)
!111 = !DILocation(line: 43, column: 14, scope: !99)
!112 = !DILocation(line: 43, column: 5, scope: !99)
!113 = !DILocation(line: 35, column: 18, scope: !99)
!114 = !DILocation(line: 38, column: 35, scope: !99)
!115 = !DILocation(line: 39, column: 20, scope: !99)
!116 = !DILocation(line: 38, column: 23, scope: !99)
!117 = !DILocation(line: 41, column: 32, scope: !99)
!118 = !DILocation(line: 41, column: 5, scope: !99)
!119 = !DILocation(line: 41, column: 28, scope: !99)
!120 = !DILocation(line: 42, column: 3, scope: !99)
!121 = !DILocation(line: 44, column: 25, scope: !99)
!122 = !DILocation(line: 45, column: 25, scope: !99)
!123 = !DILocation(line: 45, column: 7, scope: !99)
!124 = !DILocation(line: 45, column: 14, scope: !99)
!125 = !DILocation(line: 43, column: 20, scope: !99)
!126 = distinct !{!126, !112, !127, !44}
!127 = !DILocation(line: 46, column: 5, scope: !99)
!128 = !DILocation(line: 48, column: 1, scope: !99)
!129 = distinct !DISubprogram(name: "parse_decimal", scope: !12, file: !12, line: 52, type: !13, scopeLine: 52, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!130 = !DILocation(line: 66, column: 27, scope: !16, inlinedAt: !131)
!131 = distinct !DILocation(line: 53, column: 11, scope: !129)
!132 = !DILocation(line: 79, column: 27, scope: !20, inlinedAt: !133)
!133 = distinct !DILocation(line: 53, column: 24, scope: !129)
!134 = !DILocation(line: 53, column: 22, scope: !129)
!135 = !DILocation(line: 53, column: 27, scope: !24, inlinedAt: !136)
!136 = distinct !DILocation(line: 53, column: 37, scope: !129)
!137 = !DILocation(line: 53, column: 35, scope: !129)
!138 = !DILocation(line: 54, column: 9, scope: !129)
!139 = !DILocation(line: 55, column: 28, scope: !129)
!140 = !DILocation(line: 55, column: 24, scope: !129)
!141 = !DILocation(line: 57, column: 12, scope: !129)
!142 = !DILocation(line: 57, column: 20, scope: !129)
!143 = !DILocation(line: 57, column: 3, scope: !129)
!144 = !DILocation(line: 57, column: 23, scope: !129)
!145 = !DILocation(line: 57, column: 37, scope: !129)
!146 = distinct !{!146, !143, !145, !44}
!147 = !DILocation(line: 58, column: 60, scope: !129)
!148 = !DILocation(line: 58, column: 64, scope: !129)
!149 = !DILocation(line: 58, column: 57, scope: !129)
!150 = !DILocation(line: 58, column: 50, scope: !129)
!151 = !DILocation(line: 59, column: 12, scope: !129)
!152 = !DILocation(line: 0, scope: !129)
!153 = !DILocation(line: 59, column: 20, scope: !129)
!154 = !DILocation(line: 59, column: 3, scope: !129)
!155 = !DILocation(line: 59, column: 23, scope: !129)
!156 = !DILocation(line: 59, column: 35, scope: !129)
!157 = !DILocation(line: 59, column: 72, scope: !129)
!158 = !DILocation(line: 59, column: 85, scope: !129)
!159 = !DILocation(line: 59, column: 77, scope: !129)
!160 = !DILocation(line: 59, column: 52, scope: !129)
!161 = !DILocation(line: 59, column: 62, scope: !129)
!162 = distinct !{!162, !154, !163, !44}
!163 = !DILocation(line: 59, column: 90, scope: !129)
!164 = !DILocation(line: 60, column: 20, scope: !129)
!165 = !DILocation(line: 61, column: 14, scope: !129)
!166 = !DILocation(line: 60, column: 24, scope: !129)
!167 = !DILocation(line: 61, column: 3, scope: !129)
!168 = !DILocation(line: 61, column: 12, scope: !129)
!169 = !DILocation(line: 62, column: 12, scope: !129)
!170 = !DILocation(line: 62, column: 3, scope: !129)
!171 = !DILocation(line: 62, column: 10, scope: !129)
!172 = !DILocation(line: 63, column: 1, scope: !129)
!173 = distinct !DISubprogram(name: "edit_distance", scope: !12, file: !12, line: 66, type: !13, scopeLine: 66, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!174 = !DILocation(line: 66, column: 27, scope: !16, inlinedAt: !175)
!175 = distinct !DILocation(line: 67, column: 11, scope: !173)
!176 = !DILocation(line: 79, column: 27, scope: !20, inlinedAt: !177)
!177 = distinct !DILocation(line: 67, column: 24, scope: !173)
!178 = !DILocation(line: 67, column: 22, scope: !173)
!179 = !DILocation(line: 53, column: 27, scope: !24, inlinedAt: !180)
!180 = distinct !DILocation(line: 67, column: 37, scope: !173)
!181 = !DILocation(line: 67, column: 35, scope: !173)
!182 = !DILocation(line: 68, column: 9, scope: !173)
!183 = !DILocation(line: 70, column: 3, scope: !173)
!184 = !DILocation(line: 71, column: 33, scope: !173)
!185 = !DILocation(line: 71, column: 40, scope: !173)
!186 = !DILocation(line: 69, column: 25, scope: !173)
!187 = !DILocation(line: 69, column: 21, scope: !173)
!188 = !DILocation(line: 69, column: 38, scope: !173)
!189 = !DILocation(line: 73, column: 3, scope: !173)
!190 = !DILocation(line: 84, column: 12, scope: !173)
!191 = !DILocation(line: 84, column: 3, scope: !173)
!192 = !DILocation(line: 84, column: 10, scope: !173)
!193 = !DILocation(line: 85, column: 1, scope: !173)
!194 = !DILocation(line: 75, column: 14, scope: !173)
!195 = !DILocation(line: 77, column: 5, scope: !173)
!196 = !DILocation(line: 73, column: 29, scope: !173)
!197 = !DILocation(line: 73, column: 21, scope: !173)
!198 = distinct !{!198, !189, !199, !44, !200}
!199 = !DILocation(line: 83, column: 3, scope: !173)
!200 = !{!"llvm.loop.unroll.disable"}
!201 = !DILocation(line: 79, column: 30, scope: !173)
!202 = !DILocation(line: 78, column: 26, scope: !173)
!203 = !DILocation(line: 10, column: 49, scope: !204, inlinedAt: !205)
!204 = distinct !DISubprogram(name: "__nv_min", scope: !51, file: !51, line: 10, type: !13, scopeLine: 10, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!205 = distinct !DILocation(line: 201, column: 47, scope: !206, inlinedAt: !208)
!206 = distinct !DISubprogram(name: "min", scope: !207, file: !207, line: 201, type: !13, scopeLine: 201, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!207 = !DIFile(filename: "/usr/include/__clang_cuda_math.h", directory: "")
!208 = distinct !DILocation(line: 79, column: 22, scope: !173)
!209 = !DILocation(line: 79, column: 42, scope: !173)
!210 = !DILocation(line: 79, column: 47, scope: !173)
!211 = !DILocation(line: 79, column: 71, scope: !173)
!212 = !DILocation(line: 79, column: 68, scope: !173)
!213 = !DILocation(line: 79, column: 58, scope: !173)
!214 = !DILocation(line: 79, column: 56, scope: !173)
!215 = !DILocation(line: 10, column: 49, scope: !204, inlinedAt: !216)
!216 = distinct !DILocation(line: 201, column: 47, scope: !206, inlinedAt: !217)
!217 = distinct !DILocation(line: 79, column: 18, scope: !173)
!218 = !DILocation(line: 80, column: 16, scope: !173)
!219 = !DILocation(line: 80, column: 14, scope: !173)
!220 = !DILocation(line: 77, column: 31, scope: !173)
!221 = !DILocation(line: 77, column: 23, scope: !173)
!222 = distinct !{!222, !195, !223, !44, !200}
!223 = !DILocation(line: 82, column: 5, scope: !173)
