; ModuleID = '/divergence.cu'
source_filename = "/divergence.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@_ZZ19exit_before_barrierE4line = internal unnamed_addr addrspace(3) global [128 x i32] undef, align 4

; Function Attrs: convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
define dso_local ptx_kernel void @arms_own_mask(ptr noundef readonly captures(none) %in, ptr noundef writeonly captures(none) %out) local_unnamed_addr #0 !dbg !11 {
entry:
  %0 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !15
  %1 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !19
  %mul = mul i32 %0, %1, !dbg !22
  %2 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !23
  %add = add i32 %mul, %2, !dbg !26
  %and = and i32 %2, 31, !dbg !27
  %idxprom = sext i32 %add to i64, !dbg !28
  %arrayidx = getelementptr inbounds i32, ptr %in, i64 %idxprom, !dbg !28
  %3 = load i32, ptr %arrayidx, align 4, !dbg !28, !tbaa !7
  %rem.lhs.trunc = trunc nuw nsw i32 %and to i8, !dbg !29
  %rem35 = urem i8 %rem.lhs.trunc, 3, !dbg !29
  %cmp = icmp eq i8 %rem35, 0, !dbg !30
  br i1 %cmp, label %if.then, label %if.else, !dbg !30

if.then:                                          ; preds = %entry
  %cmp4 = icmp sgt i32 %3, 0, !dbg !31
  %4 = tail call noundef i32 @llvm.nvvm.vote.ballot.sync(i32 1227133513, i1 %cmp4), !dbg !32
  %5 = tail call noundef range(i32 0, 33) i32 @llvm.ctpop.i32(i32 %4), !dbg !36
  %mul7 = mul nuw nsw i32 %5, 1000, !dbg !43
  %rem9.cmp = icmp samesign ult i32 %and, 30, !dbg !44
  %rem9.v = select i1 %rem9.cmp, i32 3, i32 -30, !dbg !44
  %rem9 = add nsw i32 %rem9.v, %and, !dbg !44
  %6 = tail call noundef i32 @llvm.nvvm.shfl.sync.idx.i32(i32 1227133513, i32 %3, i32 %rem9, i32 31), !dbg !45
  %add11 = add nsw i32 %mul7, %6, !dbg !48
  br label %if.end, !dbg !49

if.else:                                          ; preds = %entry
  %cmp12 = icmp slt i32 %3, 10, !dbg !50
  %7 = tail call noundef i32 @llvm.nvvm.vote.ballot.sync(i32 -1227133514, i1 %cmp12), !dbg !51
  %8 = tail call noundef range(i32 0, 33) i32 @llvm.ctpop.i32(i32 %7), !dbg !53
  %mul16 = mul nsw i32 %8, -1000, !dbg !56
  %cmp18 = icmp eq i8 %rem35, 1, !dbg !57
  %cmp19 = icmp ne i32 %and, 31
  %or.cond = and i1 %cmp19, %cmp18, !dbg !58
  %add20 = zext i1 %or.cond to i32, !dbg !58
  %cond = add nuw nsw i32 %and, %add20, !dbg !58
  %9 = tail call noundef i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1227133514, i32 %3, i32 %cond, i32 31), !dbg !59
  %add22 = add nsw i32 %mul16, %9, !dbg !61
  br label %if.end

if.end:                                           ; preds = %if.else, %if.then
  %r.0 = phi i32 [ %add11, %if.then ], [ %add22, %if.else ], !dbg !62
  %arrayidx24 = getelementptr inbounds i32, ptr %out, i64 %idxprom, !dbg !63
  store i32 %r.0, ptr %arrayidx24, align 4, !dbg !64, !tbaa !7
  ret void, !dbg !65
}

; Function Attrs: convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
define dso_local ptx_kernel void @arms_shared_vote(ptr noundef readonly captures(none) %in, ptr noundef writeonly captures(none) %out) local_unnamed_addr #0 !dbg !66 {
entry:
  %0 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !67
  %1 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !69
  %mul = mul i32 %0, %1, !dbg !71
  %2 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !72
  %add = add i32 %mul, %2, !dbg !74
  %idxprom = sext i32 %add to i64, !dbg !75
  %arrayidx = getelementptr inbounds i32, ptr %in, i64 %idxprom, !dbg !75
  %3 = load i32, ptr %arrayidx, align 4, !dbg !75, !tbaa !7
  %and = and i32 %3, 1, !dbg !76
  %tobool.not = icmp eq i32 %and, 0, !dbg !77
  br i1 %tobool.not, label %if.else, label %if.then, !dbg !77

if.then:                                          ; preds = %entry
  %cmp = icmp sgt i32 %3, 16, !dbg !78
  %4 = tail call noundef i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %cmp), !dbg !79
  %mul5 = shl i32 %4, 1, !dbg !81
  %add6 = or disjoint i32 %mul5, 1, !dbg !82
  br label %if.end, !dbg !83

if.else:                                          ; preds = %entry
  %add8 = add nsw i32 %3, 9, !dbg !84
  %cmp9 = icmp sgt i32 %3, 11, !dbg !85
  %5 = tail call noundef i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %cmp9), !dbg !86
  %xor = xor i32 %5, %add8, !dbg !88
  br label %if.end

if.end:                                           ; preds = %if.else, %if.then
  %r.0 = phi i32 [ %add6, %if.then ], [ %xor, %if.else ], !dbg !89
  %arrayidx13 = getelementptr inbounds i32, ptr %out, i64 %idxprom, !dbg !90
  store i32 %r.0, ptr %arrayidx13, align 4, !dbg !91, !tbaa !7
  ret void, !dbg !92
}

; Function Attrs: convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
define dso_local ptx_kernel void @arms_shared_shuffle(ptr noundef readonly captures(none) %in, ptr noundef writeonly captures(none) %out) local_unnamed_addr #0 !dbg !93 {
entry:
  %0 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !94
  %1 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !96
  %mul = mul i32 %0, %1, !dbg !98
  %2 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !99
  %add = add i32 %mul, %2, !dbg !101
  %and = and i32 %2, 31, !dbg !102
  %idxprom = sext i32 %add to i64, !dbg !103
  %arrayidx = getelementptr inbounds i32, ptr %in, i64 %idxprom, !dbg !103
  %3 = load i32, ptr %arrayidx, align 4, !dbg !103, !tbaa !7
  %cmp = icmp samesign ult i32 %and, 11, !dbg !104
  br i1 %cmp, label %if.then, label %if.else, !dbg !104

if.then:                                          ; preds = %entry
  %mul4 = shl nsw i32 %3, 1, !dbg !105
  %sub = xor i32 %and, 31, !dbg !106
  %4 = tail call noundef i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %mul4, i32 %sub, i32 31), !dbg !107
  %add6 = add nsw i32 %4, 1, !dbg !109
  br label %if.end14, !dbg !110

if.else:                                          ; preds = %entry
  %xor = xor i32 %3, 85, !dbg !111
  %mul7 = mul nuw nsw i32 %2, 7, !dbg !112
  %and8 = and i32 %mul7, 31, !dbg !113
  %5 = tail call noundef i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %xor, i32 %and8, i32 31), !dbg !114
  %sub10 = add nsw i32 %5, -1, !dbg !116
  %cmp11 = icmp sgt i32 %3, 0, !dbg !117
  %mul13 = zext i1 %cmp11 to i32, !dbg !117
  %spec.select = shl nsw i32 %sub10, %mul13, !dbg !117
  br label %if.end14, !dbg !117

if.end14:                                         ; preds = %if.else, %if.then
  %r.0 = phi i32 [ %add6, %if.then ], [ %spec.select, %if.else ], !dbg !118
  %arrayidx16 = getelementptr inbounds i32, ptr %out, i64 %idxprom, !dbg !119
  store i32 %r.0, ptr %arrayidx16, align 4, !dbg !120, !tbaa !7
  ret void, !dbg !121
}

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @nested_masks(ptr noundef readonly captures(none) %in, ptr noundef writeonly captures(none) %out, i32 noundef %n) local_unnamed_addr #1 !dbg !122 {
entry:
  %0 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !123
  %1 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !125
  %mul = mul i32 %0, %1, !dbg !127
  %2 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !128
  %add = add i32 %mul, %2, !dbg !130
  %cmp = icmp slt i32 %add, %n, !dbg !131
  br i1 %cmp, label %cond.true, label %cond.end, !dbg !132

cond.true:                                        ; preds = %entry
  %idxprom = sext i32 %add to i64, !dbg !133
  %arrayidx = getelementptr inbounds i32, ptr %in, i64 %idxprom, !dbg !133
  %3 = load i32, ptr %arrayidx, align 4, !dbg !133, !tbaa !7
  br label %cond.end, !dbg !132

cond.end:                                         ; preds = %entry, %cond.true
  %cond = phi i32 [ %3, %cond.true ], [ 0, %entry ], !dbg !132
  %4 = and i32 %cond, 1, !dbg !134
  %cmp3 = icmp eq i32 %4, 0, !dbg !134
  %5 = tail call noundef i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true), !dbg !135
  %6 = tail call noundef i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %cmp3), !dbg !137
  br i1 %cmp3, label %if.then, label %if.else17, !dbg !139

if.then:                                          ; preds = %cond.end
  %rem4 = srem i32 %cond, 3, !dbg !140
  %cmp5 = icmp eq i32 %rem4, 0, !dbg !141
  %7 = tail call noundef i32 @llvm.nvvm.vote.ballot.sync(i32 %6, i1 %cmp5), !dbg !142
  br i1 %cmp5, label %if.then14, label %if.else, !dbg !144

if.then14:                                        ; preds = %if.then
  %8 = tail call noundef i32 asm sideeffect "redux.sync.add.s32 $0, $1, $2;", "=r,r,r"(i32 %cond, i32 %7) #7, !dbg !145, !srcloc !149
  br label %if.end22, !dbg !150

if.else:                                          ; preds = %if.then
  %not = xor i32 %7, -1, !dbg !151
  %and = and i32 %6, %not, !dbg !152
  %9 = tail call noundef i32 asm sideeffect "redux.sync.max.s32 $0, $1, $2;", "=r,r,r"(i32 %cond, i32 %and) #7, !dbg !153, !srcloc !156
  br label %if.end22

if.else17:                                        ; preds = %cond.end
  %not18 = xor i32 %6, -1, !dbg !157
  %and19 = and i32 %5, %not18, !dbg !158
  %10 = tail call noundef i32 asm sideeffect "redux.sync.xor.b32 $0, $1, $2;", "=r,r,r"(i32 %cond, i32 %and19) #7, !dbg !159, !srcloc !162
  %and21 = and i32 %10, 65535, !dbg !163
  br label %if.end22

if.end22:                                         ; preds = %if.then14, %if.else, %if.else17
  %r.1 = phi i32 [ %and21, %if.else17 ], [ %8, %if.then14 ], [ %9, %if.else ], !dbg !164
  %11 = tail call noundef i32 asm sideeffect "redux.sync.min.s32 $0, $1, $2;", "=r,r,r"(i32 %r.1, i32 %5) #7, !dbg !165, !srcloc !168
  br i1 %cmp, label %if.then25, label %if.end32, !dbg !169

if.then25:                                        ; preds = %if.end22
  %mul26 = shl nsw i32 %r.1, 1, !dbg !170
  %cmp27 = icmp eq i32 %11, %r.1, !dbg !171
  %conv28 = zext i1 %cmp27 to i32, !dbg !172
  %add29 = or disjoint i32 %mul26, %conv28, !dbg !173
  %idxprom30 = sext i32 %add to i64, !dbg !174
  %arrayidx31 = getelementptr inbounds i32, ptr %out, i64 %idxprom30, !dbg !174
  store i32 %add29, ptr %arrayidx31, align 4, !dbg !175, !tbaa !7
  br label %if.end32, !dbg !174

if.end32:                                         ; preds = %if.then25, %if.end22
  ret void, !dbg !176
}

; Function Attrs: convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
define dso_local ptx_kernel void @loop_shrinking_mask(ptr noundef readonly captures(none) %trips, ptr noundef readonly captures(none) %in, ptr noundef writeonly captures(none) %out, i32 noundef %n) local_unnamed_addr #0 !dbg !177 {
entry:
  %0 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !178
  %1 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !180
  %mul = mul i32 %0, %1, !dbg !182
  %2 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !183
  %add = add i32 %mul, %2, !dbg !185
  %and = and i32 %2, 31, !dbg !186
  %cmp = icmp slt i32 %add, %n, !dbg !187
  %3 = tail call noundef i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %cmp), !dbg !188
  br i1 %cmp, label %if.end, label %cleanup, !dbg !190

if.end:                                           ; preds = %entry
  %idxprom = sext i32 %add to i64, !dbg !191
  %arrayidx = getelementptr inbounds i32, ptr %trips, i64 %idxprom, !dbg !191
  %4 = load i32, ptr %arrayidx, align 4, !dbg !191, !tbaa !7
  %arrayidx7 = getelementptr inbounds i32, ptr %in, i64 %idxprom, !dbg !192
  %5 = load i32, ptr %arrayidx7, align 4, !dbg !192, !tbaa !7
  %smax = tail call i32 @llvm.smax.i32(i32 %4, i32 0), !dbg !193
  br label %for.cond, !dbg !193

for.cond:                                         ; preds = %if.end13, %if.end
  %sum.0 = phi i32 [ 0, %if.end ], [ %add19, %if.end13 ], !dbg !194
  %k.0 = phi i32 [ 0, %if.end ], [ %inc, %if.end13 ], !dbg !195
  %mask.0 = phi i32 [ %3, %if.end ], [ %6, %if.end13 ], !dbg !194
  %cmp8 = icmp slt i32 %k.0, %4, !dbg !196
  %6 = tail call noundef i32 @llvm.nvvm.vote.ballot.sync(i32 %mask.0, i1 %cmp8), !dbg !197
  %exitcond.not = icmp eq i32 %k.0, %smax, !dbg !196
  br i1 %exitcond.not, label %if.then12, label %if.end13, !dbg !199

if.then12:                                        ; preds = %for.cond
  %arrayidx21 = getelementptr inbounds i32, ptr %out, i64 %idxprom, !dbg !200
  store i32 %sum.0, ptr %arrayidx21, align 4, !dbg !201, !tbaa !7
  br label %cleanup, !dbg !202

if.end13:                                         ; preds = %for.cond
  %7 = tail call range(i32 0, 33) i32 @llvm.cttz.i32(i32 %6, i1 true), !dbg !203
  %iszero.i = icmp eq i32 %6, 0, !dbg !203
  %sub = select i1 %iszero.i, i32 -1, i32 %7, !dbg !208
  %add15 = add nsw i32 %k.0, %5, !dbg !209
  %8 = tail call noundef i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %6, i32 %add15, i32 %sub, i32 31), !dbg !210
  %cmp17 = icmp eq i32 %sub, %and, !dbg !212
  %cond = select i1 %cmp17, i32 100000, i32 0, !dbg !213
  %add18 = add i32 %cond, %sum.0, !dbg !214
  %add19 = add i32 %add18, %8, !dbg !215
  %inc = add nuw i32 %k.0, 1, !dbg !216
  br label %for.cond, !dbg !217, !llvm.loop !218

cleanup:                                          ; preds = %entry, %if.then12
  ret void, !dbg !202
}

; Function Attrs: convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
define dso_local ptx_kernel void @exits_in_loop(ptr noundef readonly captures(none) %in, ptr noundef writeonly captures(none) %out, i32 noundef %rounds) local_unnamed_addr #0 !dbg !221 {
entry:
  %0 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !222
  %1 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !224
  %mul = mul i32 %0, %1, !dbg !226
  %2 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !227
  %add = add i32 %mul, %2, !dbg !229
  %idxprom = sext i32 %add to i64, !dbg !230
  %arrayidx = getelementptr inbounds i32, ptr %in, i64 %idxprom, !dbg !230
  %3 = load i32, ptr %arrayidx, align 4, !dbg !230, !tbaa !7
  %cmp36 = icmp sgt i32 %rounds, 0, !dbg !231
  br i1 %cmp36, label %for.body.lr.ph, label %cleanup, !dbg !232

for.body.lr.ph:                                   ; preds = %entry
  %rem = srem i32 %3, %rounds
  %arrayidx16 = getelementptr inbounds i32, ptr %out, i64 %idxprom
  br label %for.body, !dbg !232

for.body:                                         ; preds = %for.body.lr.ph, %if.end
  %fold.038 = phi i32 [ 0, %for.body.lr.ph ], [ %add14, %if.end ]
  %k.037 = phi i32 [ 0, %for.body.lr.ph ], [ %inc, %if.end ]
  %cmp3 = icmp eq i32 %rem, %k.037, !dbg !233
  br i1 %cmp3, label %cleanup, label %if.end, !dbg !233

if.end:                                           ; preds = %for.body
  %4 = shl nuw i32 1, %k.037, !dbg !234
  %5 = and i32 %4, %3, !dbg !234
  %tobool.i = icmp ne i32 %5, 0, !dbg !234
  %6 = tail call noundef i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %tobool.i), !dbg !236
  %mul5 = mul i32 %fold.038, 31, !dbg !237
  %add6 = add i32 %6, %mul5, !dbg !238
  %cmp7 = icmp eq i32 %3, %k.037, !dbg !239
  %7 = tail call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 %cmp7), !dbg !240
  %conv.i = zext i1 %7 to i32, !dbg !240
  %add9 = add i32 %add6, %conv.i, !dbg !243
  %cmp10 = icmp sgt i32 %3, %k.037, !dbg !244
  %8 = tail call i1 @llvm.nvvm.vote.all.sync(i32 -1, i1 %cmp10), !dbg !245
  %mul13 = select i1 %8, i32 2, i32 0, !dbg !248
  %add14 = add i32 %add9, %mul13, !dbg !249
  store i32 %add14, ptr %arrayidx16, align 4, !dbg !250, !tbaa !7
  %inc = add nuw nsw i32 %k.037, 1, !dbg !251
  %exitcond.not = icmp eq i32 %inc, %rounds, !dbg !231
  br i1 %exitcond.not, label %cleanup, label %for.body, !dbg !232, !llvm.loop !252

cleanup:                                          ; preds = %if.end, %for.body, %entry
  ret void, !dbg !254
}

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @peel_by_key(ptr noundef readonly captures(none) %in, ptr noundef captures(none) %sums, ptr noundef captures(none) %counts, i32 noundef %n) local_unnamed_addr #1 !dbg !255 {
entry:
  %0 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !256
  %1 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !258
  %mul = mul i32 %0, %1, !dbg !260
  %2 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !261
  %add = add i32 %mul, %2, !dbg !263
  %and = and i32 %2, 31, !dbg !264
  %cmp.not = icmp slt i32 %add, %n, !dbg !265
  br i1 %cmp.not, label %if.end, label %cleanup31, !dbg !265

if.end:                                           ; preds = %entry
  %idxprom = sext i32 %add to i64, !dbg !266
  %arrayidx = getelementptr inbounds i32, ptr %in, i64 %idxprom, !dbg !266
  %3 = load i32, ptr %arrayidx, align 4, !dbg !266, !tbaa !7
  %and4 = and i32 %3, 7, !dbg !267
  br label %while.cond, !dbg !268

while.cond:                                       ; preds = %while.cond, %if.end
  %4 = tail call noundef i32 @llvm.nvvm.activemask(), !dbg !269
  %5 = tail call range(i32 0, 33) i32 @llvm.cttz.i32(i32 %4, i1 true), !dbg !272
  %iszero.i = icmp eq i32 %4, 0, !dbg !272
  %sub = select i1 %iszero.i, i32 -1, i32 %5, !dbg !275
  %6 = tail call noundef i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %4, i32 %and4, i32 %sub, i32 31), !dbg !276
  %cmp10 = icmp eq i32 %and4, %6, !dbg !278
  %7 = tail call noundef i32 @llvm.nvvm.vote.ballot.sync(i32 %4, i1 %cmp10), !dbg !279
  br i1 %cmp10, label %if.then13, label %while.cond, !dbg !281

if.then13:                                        ; preds = %while.cond
  %shr = ashr i32 %3, 3, !dbg !282
  %8 = tail call noundef i32 asm sideeffect "redux.sync.add.s32 $0, $1, $2;", "=r,r,r"(i32 %shr, i32 %7) #7, !dbg !283, !srcloc !149
  %9 = tail call range(i32 0, 33) i32 @llvm.cttz.i32(i32 %7, i1 true), !dbg !285
  %iszero.i49 = icmp ne i32 %7, 0, !dbg !285
  %cmp1754 = icmp eq i32 %9, %and, !dbg !288
  %cmp17 = select i1 %iszero.i49, i1 %cmp1754, i1 false, !dbg !288
  br i1 %cmp17, label %if.then18, label %cleanup31, !dbg !288

if.then18:                                        ; preds = %if.then13
  %idxprom19 = zext nneg i32 %and4 to i64, !dbg !289
  %arrayidx20 = getelementptr inbounds nuw i32, ptr %sums, i64 %idxprom19, !dbg !289
  %10 = atomicrmw add ptr %arrayidx20, i32 %8 monotonic, align 4, !dbg !290
  %arrayidx23 = getelementptr inbounds nuw i32, ptr %counts, i64 %idxprom19, !dbg !294
  %11 = tail call noundef range(i32 1, 33) i32 @llvm.ctpop.i32(i32 %7), !dbg !295
  %12 = atomicrmw add ptr %arrayidx23, i32 %11 monotonic, align 4, !dbg !298
  br label %cleanup31, !dbg !300

cleanup31:                                        ; preds = %if.then18, %if.then13, %entry
  ret void, !dbg !301
}

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @exit_before_barrier(ptr noundef readonly captures(none) %in, ptr noundef writeonly captures(none) %out, i32 noundef %n) local_unnamed_addr #1 !dbg !302 {
entry:
  %0 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !303
  %1 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !305
  %mul = mul i32 %0, %1, !dbg !307
  %2 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !308
  %add = add i32 %mul, %2, !dbg !310
  %cmp.not = icmp slt i32 %add, %n, !dbg !311
  br i1 %cmp.not, label %if.end, label %cleanup, !dbg !311

if.end:                                           ; preds = %entry
  %idxprom = sext i32 %add to i64, !dbg !312
  %arrayidx = getelementptr inbounds i32, ptr %in, i64 %idxprom, !dbg !312
  %3 = load i32, ptr %arrayidx, align 4, !dbg !312, !tbaa !7
  %idxprom4 = zext nneg i32 %2 to i64, !dbg !313
  %arrayidx5 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ19exit_before_barrierE4line to ptr), i64 %idxprom4, !dbg !313
  store i32 %3, ptr %arrayidx5, align 4, !dbg !314, !tbaa !7
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !315
  %sub = sub nsw i32 %n, %mul, !dbg !316
  %cond.i = tail call noundef i32 @llvm.smin.i32(i32 %1, i32 %sub), !dbg !317
  %4 = xor i32 %2, -1, !dbg !323
  %sub13 = add i32 %cond.i, %4, !dbg !323
  %idxprom14 = zext i32 %sub13 to i64, !dbg !324
  %arrayidx15 = getelementptr inbounds nuw i32, ptr addrspacecast (ptr addrspace(3) @_ZZ19exit_before_barrierE4line to ptr), i64 %idxprom14, !dbg !324
  %5 = load i32, ptr %arrayidx15, align 4, !dbg !324, !tbaa !7
  %arrayidx17 = getelementptr inbounds i32, ptr %out, i64 %idxprom, !dbg !325
  store i32 %5, ptr %arrayidx17, align 4, !dbg !326, !tbaa !7
  br label %cleanup, !dbg !327

cleanup:                                          ; preds = %entry, %if.end
  ret void, !dbg !327
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #2

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @block_shape(ptr noundef writeonly captures(none) %lanes, ptr noundef writeonly captures(none) %ballots, ptr noundef writeonly captures(none) %sums) local_unnamed_addr #1 !dbg !328 {
entry:
  %0 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.z(), !dbg !329
  %1 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.y(), !dbg !332
  %mul = mul nuw nsw i32 %0, %1, !dbg !335
  %2 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.y(), !dbg !336
  %add = add nuw nsw i32 %mul, %2, !dbg !339
  %3 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !340
  %mul4 = mul nuw nsw i32 %add, %3, !dbg !342
  %4 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !343
  %add6 = add nuw nsw i32 %mul4, %4, !dbg !345
  %5 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.z(), !dbg !346
  %6 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.nctaid.y(), !dbg !349
  %mul9 = mul nuw i32 %5, %6, !dbg !352
  %7 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.y(), !dbg !353
  %add11 = add nuw i32 %mul9, %7, !dbg !356
  %8 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.nctaid.x(), !dbg !357
  %mul13 = mul i32 %add11, %8, !dbg !360
  %9 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !361
  %add15 = add i32 %mul13, %9, !dbg !363
  %mul18 = mul nuw nsw i32 %3, %1, !dbg !364
  %10 = tail call noundef i32 @llvm.nvvm.read.ptx.sreg.ntid.z(), !dbg !365
  %mul20 = mul nuw nsw i32 %mul18, %10, !dbg !368
  %mul21 = mul i32 %add15, %mul20, !dbg !369
  %add22 = add i32 %mul21, %add6, !dbg !370
  %11 = tail call i32 asm sideeffect "mov.u32 $0, %laneid;", "=r"() #7, !dbg !371, !srcloc !372
  %and = and i32 %add6, 1073741792, !dbg !373
  %sub = sub nsw i32 %mul20, %and, !dbg !374
  %cmp = icmp sgt i32 %sub, 31, !dbg !375
  %notmask = shl nsw i32 -1, %sub, !dbg !376
  %sub28 = xor i32 %notmask, -1, !dbg !376
  %cond = select i1 %cmp, i32 -1, i32 %sub28, !dbg !376
  %add32 = add nuw nsw i32 %2, %0, !dbg !377
  %cmp33 = icmp samesign ugt i32 %4, %add32, !dbg !378
  %12 = tail call noundef i32 @llvm.nvvm.vote.ballot.sync(i32 %cond, i1 %cmp33), !dbg !379
  %idxprom = sext i32 %add22 to i64, !dbg !381
  %arrayidx = getelementptr inbounds i32, ptr %ballots, i64 %idxprom, !dbg !381
  store i32 %12, ptr %arrayidx, align 4, !dbg !382, !tbaa !7
  %mul37 = mul nuw nsw i32 %2, 100, !dbg !383
  %add38 = add nuw nsw i32 %mul37, %4, !dbg !384
  %mul40 = mul nuw nsw i32 %0, 10000, !dbg !385
  %add41 = add nuw nsw i32 %add38, %mul40, !dbg !386
  %13 = tail call noundef i32 asm sideeffect "redux.sync.add.s32 $0, $1, $2;", "=r,r,r"(i32 %add41, i32 %cond) #7, !dbg !387, !srcloc !149
  %arrayidx44 = getelementptr inbounds i32, ptr %sums, i64 %idxprom, !dbg !389
  store i32 %13, ptr %arrayidx44, align 4, !dbg !390, !tbaa !7
  %mul45 = mul i32 %11, 1000, !dbg !391
  %14 = tail call noundef range(i32 0, 33) i32 @llvm.ctpop.i32(i32 %cond), !dbg !392
  %add47 = add i32 %mul45, %14, !dbg !395
  %arrayidx49 = getelementptr inbounds i32, ptr %lanes, i64 %idxprom, !dbg !396
  store i32 %add47, ptr %arrayidx49, align 4, !dbg !397, !tbaa !7
  ret void, !dbg !398
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

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32) #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.cttz.i32(i32, i1 immarg) #3

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i1 @llvm.nvvm.vote.any.sync(i32, i1) #4

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i1 @llvm.nvvm.vote.all.sync(i32, i1) #4

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i32 @llvm.nvvm.activemask() #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.z() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.y() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.z() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 65536) i32 @llvm.nvvm.read.ptx.sreg.nctaid.y() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, -2147483648) i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 65) i32 @llvm.nvvm.read.ptx.sreg.ntid.z() #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smin.i32(i32, i32) #6

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smax.i32(i32, i32) #6

attributes #0 = { convergent mustprogress noinline norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx83,+sm_80" "uniform-work-group-size"="true" }
attributes #1 = { convergent mustprogress noinline norecurse nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx83,+sm_80" "uniform-work-group-size"="true" }
attributes #2 = { convergent nocallback nounwind }
attributes #3 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #5 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #6 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #7 = { convergent nounwind }

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
!11 = distinct !DISubprogram(name: "arms_own_mask", scope: !12, file: !12, line: 4, type: !13, scopeLine: 4, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!12 = !DIFile(filename: "/divergence.cu", directory: "")
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
!27 = !DILocation(line: 5, column: 69, scope: !11)
!28 = !DILocation(line: 5, column: 79, scope: !11)
!29 = !DILocation(line: 7, column: 12, scope: !11)
!30 = !DILocation(line: 7, column: 16, scope: !11)
!31 = !DILocation(line: 8, column: 50, scope: !11)
!32 = !DILocation(line: 211, column: 10, scope: !33, inlinedAt: !35)
!33 = distinct !DISubprogram(name: "__ballot_sync", scope: !34, file: !34, line: 210, type: !13, scopeLine: 210, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!34 = !DIFile(filename: "/usr/include/__clang_cuda_intrinsics.h", directory: "")
!35 = distinct !DILocation(line: 8, column: 21, scope: !11)
!36 = !DILocation(line: 18, column: 43, scope: !37, inlinedAt: !39)
!37 = distinct !DISubprogram(name: "__nv_popc", scope: !38, file: !38, line: 18, type: !13, scopeLine: 18, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!38 = !DIFile(filename: "/headers/libdevice.h", directory: "")
!39 = distinct !DILocation(line: 505, column: 50, scope: !40, inlinedAt: !42)
!40 = distinct !DISubprogram(name: "__popc", scope: !41, file: !41, line: 505, type: !13, scopeLine: 505, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!41 = !DIFile(filename: "/usr/include/__clang_cuda_device_functions.h", directory: "")
!42 = distinct !DILocation(line: 9, column: 9, scope: !11)
!43 = !DILocation(line: 9, column: 22, scope: !11)
!44 = !DILocation(line: 9, column: 70, scope: !11)
!45 = !DILocation(line: 173, column: 35, scope: !46, inlinedAt: !47)
!46 = distinct !DISubprogram(name: "__shfl_sync", scope: !34, file: !34, line: 173, type: !13, scopeLine: 173, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!47 = distinct !DILocation(line: 9, column: 31, scope: !11)
!48 = !DILocation(line: 9, column: 29, scope: !11)
!49 = !DILocation(line: 10, column: 3, scope: !11)
!50 = !DILocation(line: 11, column: 49, scope: !11)
!51 = !DILocation(line: 211, column: 10, scope: !33, inlinedAt: !52)
!52 = distinct !DILocation(line: 11, column: 20, scope: !11)
!53 = !DILocation(line: 18, column: 43, scope: !37, inlinedAt: !54)
!54 = distinct !DILocation(line: 505, column: 50, scope: !40, inlinedAt: !55)
!55 = distinct !DILocation(line: 12, column: 15, scope: !11)
!56 = !DILocation(line: 12, column: 27, scope: !11)
!57 = !DILocation(line: 12, column: 73, scope: !11)
!58 = !DILocation(line: 12, column: 78, scope: !11)
!59 = !DILocation(line: 173, column: 35, scope: !46, inlinedAt: !60)
!60 = distinct !DILocation(line: 12, column: 36, scope: !11)
!61 = !DILocation(line: 12, column: 34, scope: !11)
!62 = !DILocation(line: 0, scope: !11)
!63 = !DILocation(line: 14, column: 3, scope: !11)
!64 = !DILocation(line: 14, column: 10, scope: !11)
!65 = !DILocation(line: 15, column: 1, scope: !11)
!66 = distinct !DISubprogram(name: "arms_shared_vote", scope: !12, file: !12, line: 18, type: !13, scopeLine: 18, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!67 = !DILocation(line: 66, column: 27, scope: !16, inlinedAt: !68)
!68 = distinct !DILocation(line: 19, column: 11, scope: !66)
!69 = !DILocation(line: 79, column: 27, scope: !20, inlinedAt: !70)
!70 = distinct !DILocation(line: 19, column: 24, scope: !66)
!71 = !DILocation(line: 19, column: 22, scope: !66)
!72 = !DILocation(line: 53, column: 27, scope: !24, inlinedAt: !73)
!73 = distinct !DILocation(line: 19, column: 37, scope: !66)
!74 = !DILocation(line: 19, column: 35, scope: !66)
!75 = !DILocation(line: 19, column: 54, scope: !66)
!76 = !DILocation(line: 21, column: 9, scope: !66)
!77 = !DILocation(line: 21, column: 7, scope: !66)
!78 = !DILocation(line: 23, column: 38, scope: !66)
!79 = !DILocation(line: 211, column: 10, scope: !33, inlinedAt: !80)
!80 = distinct !DILocation(line: 23, column: 9, scope: !66)
!81 = !DILocation(line: 23, column: 44, scope: !66)
!82 = !DILocation(line: 23, column: 48, scope: !66)
!83 = !DILocation(line: 24, column: 3, scope: !66)
!84 = !DILocation(line: 25, column: 15, scope: !66)
!85 = !DILocation(line: 26, column: 38, scope: !66)
!86 = !DILocation(line: 211, column: 10, scope: !33, inlinedAt: !87)
!87 = distinct !DILocation(line: 26, column: 9, scope: !66)
!88 = !DILocation(line: 26, column: 44, scope: !66)
!89 = !DILocation(line: 0, scope: !66)
!90 = !DILocation(line: 28, column: 3, scope: !66)
!91 = !DILocation(line: 28, column: 10, scope: !66)
!92 = !DILocation(line: 29, column: 1, scope: !66)
!93 = distinct !DISubprogram(name: "arms_shared_shuffle", scope: !12, file: !12, line: 32, type: !13, scopeLine: 32, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!94 = !DILocation(line: 66, column: 27, scope: !16, inlinedAt: !95)
!95 = distinct !DILocation(line: 33, column: 11, scope: !93)
!96 = !DILocation(line: 79, column: 27, scope: !20, inlinedAt: !97)
!97 = distinct !DILocation(line: 33, column: 24, scope: !93)
!98 = !DILocation(line: 33, column: 22, scope: !93)
!99 = !DILocation(line: 53, column: 27, scope: !24, inlinedAt: !100)
!100 = distinct !DILocation(line: 33, column: 37, scope: !93)
!101 = !DILocation(line: 33, column: 35, scope: !93)
!102 = !DILocation(line: 33, column: 69, scope: !93)
!103 = !DILocation(line: 33, column: 79, scope: !93)
!104 = !DILocation(line: 35, column: 12, scope: !93)
!105 = !DILocation(line: 36, column: 36, scope: !93)
!106 = !DILocation(line: 36, column: 44, scope: !93)
!107 = !DILocation(line: 173, column: 35, scope: !46, inlinedAt: !108)
!108 = distinct !DILocation(line: 36, column: 9, scope: !93)
!109 = !DILocation(line: 36, column: 52, scope: !93)
!110 = !DILocation(line: 37, column: 3, scope: !93)
!111 = !DILocation(line: 38, column: 36, scope: !93)
!112 = !DILocation(line: 38, column: 50, scope: !93)
!113 = !DILocation(line: 38, column: 55, scope: !93)
!114 = !DILocation(line: 173, column: 35, scope: !46, inlinedAt: !115)
!115 = distinct !DILocation(line: 38, column: 9, scope: !93)
!116 = !DILocation(line: 38, column: 61, scope: !93)
!117 = !DILocation(line: 39, column: 11, scope: !93)
!118 = !DILocation(line: 0, scope: !93)
!119 = !DILocation(line: 41, column: 3, scope: !93)
!120 = !DILocation(line: 41, column: 10, scope: !93)
!121 = !DILocation(line: 42, column: 1, scope: !93)
!122 = distinct !DISubprogram(name: "nested_masks", scope: !12, file: !12, line: 45, type: !13, scopeLine: 45, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!123 = !DILocation(line: 66, column: 27, scope: !16, inlinedAt: !124)
!124 = distinct !DILocation(line: 46, column: 11, scope: !122)
!125 = !DILocation(line: 79, column: 27, scope: !20, inlinedAt: !126)
!126 = distinct !DILocation(line: 46, column: 24, scope: !122)
!127 = !DILocation(line: 46, column: 22, scope: !122)
!128 = !DILocation(line: 53, column: 27, scope: !24, inlinedAt: !129)
!129 = distinct !DILocation(line: 46, column: 37, scope: !122)
!130 = !DILocation(line: 46, column: 35, scope: !122)
!131 = !DILocation(line: 47, column: 13, scope: !122)
!132 = !DILocation(line: 47, column: 11, scope: !122)
!133 = !DILocation(line: 47, column: 19, scope: !122)
!134 = !DILocation(line: 48, column: 18, scope: !122)
!135 = !DILocation(line: 211, column: 10, scope: !33, inlinedAt: !136)
!136 = distinct !DILocation(line: 49, column: 19, scope: !122)
!137 = !DILocation(line: 211, column: 10, scope: !33, inlinedAt: !138)
!138 = distinct !DILocation(line: 49, column: 61, scope: !122)
!139 = !DILocation(line: 51, column: 7, scope: !122)
!140 = !DILocation(line: 48, column: 30, scope: !122)
!141 = !DILocation(line: 48, column: 34, scope: !122)
!142 = !DILocation(line: 211, column: 10, scope: !33, inlinedAt: !143)
!143 = distinct !DILocation(line: 52, column: 22, scope: !122)
!144 = !DILocation(line: 53, column: 9, scope: !122)
!145 = !DILocation(line: 18, column: 1, scope: !146, inlinedAt: !148)
!146 = distinct !DISubprogram(name: "__reduce_add_sync", scope: !147, file: !147, line: 18, type: !13, scopeLine: 18, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!147 = !DIFile(filename: "/headers/intrinsics.h", directory: "")
!148 = distinct !DILocation(line: 53, column: 16, scope: !122)
!149 = !{i64 2149146346}
!150 = !DILocation(line: 53, column: 12, scope: !122)
!151 = !DILocation(line: 54, column: 40, scope: !122)
!152 = !DILocation(line: 54, column: 38, scope: !122)
!153 = !DILocation(line: 22, column: 1, scope: !154, inlinedAt: !155)
!154 = distinct !DISubprogram(name: "__reduce_max_sync", scope: !147, file: !147, line: 22, type: !13, scopeLine: 22, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!155 = distinct !DILocation(line: 54, column: 14, scope: !122)
!156 = !{i64 2149147492}
!157 = !DILocation(line: 56, column: 34, scope: !122)
!158 = !DILocation(line: 56, column: 32, scope: !122)
!159 = !DILocation(line: 25, column: 1, scope: !160, inlinedAt: !161)
!160 = distinct !DISubprogram(name: "__reduce_xor_sync", scope: !147, file: !147, line: 25, type: !13, scopeLine: 25, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!161 = distinct !DILocation(line: 56, column: 9, scope: !122)
!162 = !{i64 2149148357}
!163 = !DILocation(line: 56, column: 55, scope: !122)
!164 = !DILocation(line: 0, scope: !122)
!165 = !DILocation(line: 20, column: 1, scope: !166, inlinedAt: !167)
!166 = distinct !DISubprogram(name: "__reduce_min_sync", scope: !147, file: !147, line: 20, type: !13, scopeLine: 20, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!167 = distinct !DILocation(line: 58, column: 13, scope: !122)
!168 = !{i64 2149146919}
!169 = !DILocation(line: 59, column: 9, scope: !122)
!170 = !DILocation(line: 59, column: 25, scope: !122)
!171 = !DILocation(line: 59, column: 36, scope: !122)
!172 = !DILocation(line: 59, column: 31, scope: !122)
!173 = !DILocation(line: 59, column: 29, scope: !122)
!174 = !DILocation(line: 59, column: 14, scope: !122)
!175 = !DILocation(line: 59, column: 21, scope: !122)
!176 = !DILocation(line: 60, column: 1, scope: !122)
!177 = distinct !DISubprogram(name: "loop_shrinking_mask", scope: !12, file: !12, line: 63, type: !13, scopeLine: 63, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!178 = !DILocation(line: 66, column: 27, scope: !16, inlinedAt: !179)
!179 = distinct !DILocation(line: 64, column: 11, scope: !177)
!180 = !DILocation(line: 79, column: 27, scope: !20, inlinedAt: !181)
!181 = distinct !DILocation(line: 64, column: 24, scope: !177)
!182 = !DILocation(line: 64, column: 22, scope: !177)
!183 = !DILocation(line: 53, column: 27, scope: !24, inlinedAt: !184)
!184 = distinct !DILocation(line: 64, column: 37, scope: !177)
!185 = !DILocation(line: 64, column: 35, scope: !177)
!186 = !DILocation(line: 64, column: 69, scope: !177)
!187 = !DILocation(line: 65, column: 48, scope: !177)
!188 = !DILocation(line: 211, column: 10, scope: !33, inlinedAt: !189)
!189 = distinct !DILocation(line: 65, column: 19, scope: !177)
!190 = !DILocation(line: 66, column: 9, scope: !177)
!191 = !DILocation(line: 67, column: 15, scope: !177)
!192 = !DILocation(line: 67, column: 29, scope: !177)
!193 = !DILocation(line: 68, column: 8, scope: !177)
!194 = !DILocation(line: 0, scope: !177)
!195 = !DILocation(line: 68, scope: !177)
!196 = !DILocation(line: 69, column: 34, scope: !177)
!197 = !DILocation(line: 211, column: 10, scope: !33, inlinedAt: !198)
!198 = distinct !DILocation(line: 69, column: 12, scope: !177)
!199 = !DILocation(line: 70, column: 11, scope: !177)
!200 = !DILocation(line: 74, column: 3, scope: !177)
!201 = !DILocation(line: 74, column: 10, scope: !177)
!202 = !DILocation(line: 75, column: 1, scope: !177)
!203 = !DILocation(line: 22, column: 42, scope: !204, inlinedAt: !205)
!204 = distinct !DISubprogram(name: "__nv_ffs", scope: !38, file: !38, line: 22, type: !13, scopeLine: 22, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!205 = distinct !DILocation(line: 224, column: 40, scope: !206, inlinedAt: !207)
!206 = distinct !DISubprogram(name: "__ffs", scope: !41, file: !41, line: 224, type: !13, scopeLine: 224, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!207 = distinct !DILocation(line: 71, column: 18, scope: !177)
!208 = !DILocation(line: 71, column: 30, scope: !177)
!209 = !DILocation(line: 72, column: 32, scope: !177)
!210 = !DILocation(line: 173, column: 35, scope: !46, inlinedAt: !211)
!211 = distinct !DILocation(line: 72, column: 12, scope: !177)
!212 = !DILocation(line: 72, column: 55, scope: !177)
!213 = !DILocation(line: 72, column: 48, scope: !177)
!214 = !DILocation(line: 72, column: 45, scope: !177)
!215 = !DILocation(line: 72, column: 9, scope: !177)
!216 = !DILocation(line: 68, column: 21, scope: !177)
!217 = !DILocation(line: 68, column: 3, scope: !177)
!218 = distinct !{!218, !217, !219, !220}
!219 = !DILocation(line: 73, column: 3, scope: !177)
!220 = !{!"llvm.loop.mustprogress"}
!221 = distinct !DISubprogram(name: "exits_in_loop", scope: !12, file: !12, line: 78, type: !13, scopeLine: 78, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!222 = !DILocation(line: 66, column: 27, scope: !16, inlinedAt: !223)
!223 = distinct !DILocation(line: 79, column: 11, scope: !221)
!224 = !DILocation(line: 79, column: 27, scope: !20, inlinedAt: !225)
!225 = distinct !DILocation(line: 79, column: 24, scope: !221)
!226 = !DILocation(line: 79, column: 22, scope: !221)
!227 = !DILocation(line: 53, column: 27, scope: !24, inlinedAt: !228)
!228 = distinct !DILocation(line: 79, column: 37, scope: !221)
!229 = !DILocation(line: 79, column: 35, scope: !221)
!230 = !DILocation(line: 79, column: 54, scope: !221)
!231 = !DILocation(line: 81, column: 21, scope: !221)
!232 = !DILocation(line: 81, column: 3, scope: !221)
!233 = !DILocation(line: 82, column: 20, scope: !221)
!234 = !DILocation(line: 211, column: 40, scope: !33, inlinedAt: !235)
!235 = distinct !DILocation(line: 83, column: 20, scope: !221)
!236 = !DILocation(line: 211, column: 10, scope: !33, inlinedAt: !235)
!237 = !DILocation(line: 84, column: 17, scope: !221)
!238 = !DILocation(line: 84, column: 22, scope: !221)
!239 = !DILocation(line: 84, column: 56, scope: !221)
!240 = !DILocation(line: 203, column: 10, scope: !241, inlinedAt: !242)
!241 = distinct !DISubprogram(name: "__any_sync", scope: !34, file: !34, line: 202, type: !13, scopeLine: 202, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!242 = distinct !DILocation(line: 84, column: 30, scope: !221)
!243 = !DILocation(line: 84, column: 28, scope: !221)
!244 = !DILocation(line: 84, column: 94, scope: !221)
!245 = !DILocation(line: 199, column: 10, scope: !246, inlinedAt: !247)
!246 = distinct !DISubprogram(name: "__all_sync", scope: !34, file: !34, line: 198, type: !13, scopeLine: 198, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!247 = distinct !DILocation(line: 84, column: 68, scope: !221)
!248 = !DILocation(line: 84, column: 66, scope: !221)
!249 = !DILocation(line: 84, column: 62, scope: !221)
!250 = !DILocation(line: 85, column: 12, scope: !221)
!251 = !DILocation(line: 81, column: 32, scope: !221)
!252 = distinct !{!252, !232, !253, !220}
!253 = !DILocation(line: 86, column: 3, scope: !221)
!254 = !DILocation(line: 87, column: 1, scope: !221)
!255 = distinct !DISubprogram(name: "peel_by_key", scope: !12, file: !12, line: 90, type: !13, scopeLine: 90, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!256 = !DILocation(line: 66, column: 27, scope: !16, inlinedAt: !257)
!257 = distinct !DILocation(line: 91, column: 11, scope: !255)
!258 = !DILocation(line: 79, column: 27, scope: !20, inlinedAt: !259)
!259 = distinct !DILocation(line: 91, column: 24, scope: !255)
!260 = !DILocation(line: 91, column: 22, scope: !255)
!261 = !DILocation(line: 53, column: 27, scope: !24, inlinedAt: !262)
!262 = distinct !DILocation(line: 91, column: 37, scope: !255)
!263 = !DILocation(line: 91, column: 35, scope: !255)
!264 = !DILocation(line: 91, column: 69, scope: !255)
!265 = !DILocation(line: 92, column: 9, scope: !255)
!266 = !DILocation(line: 93, column: 13, scope: !255)
!267 = !DILocation(line: 93, column: 19, scope: !255)
!268 = !DILocation(line: 94, column: 3, scope: !255)
!269 = !DILocation(line: 218, column: 10, scope: !270, inlinedAt: !271)
!270 = distinct !DISubprogram(name: "__activemask", scope: !34, file: !34, line: 214, type: !13, scopeLine: 214, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!271 = distinct !DILocation(line: 95, column: 23, scope: !255)
!272 = !DILocation(line: 22, column: 42, scope: !204, inlinedAt: !273)
!273 = distinct !DILocation(line: 224, column: 40, scope: !206, inlinedAt: !274)
!274 = distinct !DILocation(line: 96, column: 18, scope: !255)
!275 = !DILocation(line: 96, column: 32, scope: !255)
!276 = !DILocation(line: 173, column: 35, scope: !46, inlinedAt: !277)
!277 = distinct !DILocation(line: 97, column: 18, scope: !255)
!278 = !DILocation(line: 98, column: 47, scope: !255)
!279 = !DILocation(line: 211, column: 10, scope: !33, inlinedAt: !280)
!280 = distinct !DILocation(line: 98, column: 21, scope: !255)
!281 = !DILocation(line: 99, column: 13, scope: !255)
!282 = !DILocation(line: 93, column: 34, scope: !255)
!283 = !DILocation(line: 18, column: 1, scope: !146, inlinedAt: !284)
!284 = distinct !DILocation(line: 100, column: 17, scope: !255)
!285 = !DILocation(line: 22, column: 42, scope: !204, inlinedAt: !286)
!286 = distinct !DILocation(line: 224, column: 40, scope: !206, inlinedAt: !287)
!287 = distinct !DILocation(line: 101, column: 19, scope: !255)
!288 = !DILocation(line: 101, column: 16, scope: !255)
!289 = !DILocation(line: 102, column: 20, scope: !255)
!290 = !DILocation(line: 25, column: 1, scope: !291, inlinedAt: !293)
!291 = distinct !DISubprogram(name: "atomicAdd", scope: !292, file: !292, line: 25, type: !13, scopeLine: 25, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!292 = !DIFile(filename: "/headers/atomics.h", directory: "")
!293 = distinct !DILocation(line: 102, column: 9, scope: !255)
!294 = !DILocation(line: 103, column: 20, scope: !255)
!295 = !DILocation(line: 18, column: 43, scope: !37, inlinedAt: !296)
!296 = distinct !DILocation(line: 505, column: 50, scope: !40, inlinedAt: !297)
!297 = distinct !DILocation(line: 103, column: 33, scope: !255)
!298 = !DILocation(line: 25, column: 1, scope: !291, inlinedAt: !299)
!299 = distinct !DILocation(line: 103, column: 9, scope: !255)
!300 = !DILocation(line: 104, column: 7, scope: !255)
!301 = !DILocation(line: 108, column: 1, scope: !255)
!302 = distinct !DISubprogram(name: "exit_before_barrier", scope: !12, file: !12, line: 111, type: !13, scopeLine: 111, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!303 = !DILocation(line: 66, column: 27, scope: !16, inlinedAt: !304)
!304 = distinct !DILocation(line: 113, column: 11, scope: !302)
!305 = !DILocation(line: 79, column: 27, scope: !20, inlinedAt: !306)
!306 = distinct !DILocation(line: 113, column: 24, scope: !302)
!307 = !DILocation(line: 113, column: 22, scope: !302)
!308 = !DILocation(line: 53, column: 27, scope: !24, inlinedAt: !309)
!309 = distinct !DILocation(line: 113, column: 37, scope: !302)
!310 = !DILocation(line: 113, column: 35, scope: !302)
!311 = !DILocation(line: 114, column: 9, scope: !302)
!312 = !DILocation(line: 115, column: 23, scope: !302)
!313 = !DILocation(line: 115, column: 3, scope: !302)
!314 = !DILocation(line: 115, column: 21, scope: !302)
!315 = !DILocation(line: 116, column: 3, scope: !302)
!316 = !DILocation(line: 117, column: 38, scope: !302)
!317 = !DILocation(line: 10, column: 49, scope: !318, inlinedAt: !319)
!318 = distinct !DISubprogram(name: "__nv_min", scope: !38, file: !38, line: 10, type: !13, scopeLine: 10, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!319 = distinct !DILocation(line: 201, column: 47, scope: !320, inlinedAt: !322)
!320 = distinct !DISubprogram(name: "min", scope: !321, file: !321, line: 201, type: !13, scopeLine: 201, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!321 = !DIFile(filename: "/usr/include/__clang_cuda_math.h", directory: "")
!322 = distinct !DILocation(line: 117, column: 15, scope: !302)
!323 = !DILocation(line: 118, column: 27, scope: !302)
!324 = !DILocation(line: 118, column: 12, scope: !302)
!325 = !DILocation(line: 118, column: 3, scope: !302)
!326 = !DILocation(line: 118, column: 10, scope: !302)
!327 = !DILocation(line: 119, column: 1, scope: !302)
!328 = distinct !DISubprogram(name: "block_shape", scope: !12, file: !12, line: 122, type: !13, scopeLine: 122, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!329 = !DILocation(line: 55, column: 27, scope: !330, inlinedAt: !331)
!330 = distinct !DISubprogram(name: "__fetch_builtin_z", scope: !17, file: !17, line: 55, type: !13, scopeLine: 55, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!331 = distinct !DILocation(line: 123, column: 12, scope: !328)
!332 = !DILocation(line: 80, column: 27, scope: !333, inlinedAt: !334)
!333 = distinct !DISubprogram(name: "__fetch_builtin_y", scope: !17, file: !17, line: 80, type: !13, scopeLine: 80, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!334 = distinct !DILocation(line: 123, column: 26, scope: !328)
!335 = !DILocation(line: 123, column: 24, scope: !328)
!336 = !DILocation(line: 54, column: 27, scope: !337, inlinedAt: !338)
!337 = distinct !DISubprogram(name: "__fetch_builtin_y", scope: !17, file: !17, line: 54, type: !13, scopeLine: 54, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!338 = distinct !DILocation(line: 123, column: 39, scope: !328)
!339 = !DILocation(line: 123, column: 37, scope: !328)
!340 = !DILocation(line: 79, column: 27, scope: !20, inlinedAt: !341)
!341 = distinct !DILocation(line: 123, column: 54, scope: !328)
!342 = !DILocation(line: 123, column: 52, scope: !328)
!343 = !DILocation(line: 53, column: 27, scope: !24, inlinedAt: !344)
!344 = distinct !DILocation(line: 123, column: 67, scope: !328)
!345 = !DILocation(line: 123, column: 65, scope: !328)
!346 = !DILocation(line: 68, column: 27, scope: !347, inlinedAt: !348)
!347 = distinct !DISubprogram(name: "__fetch_builtin_z", scope: !17, file: !17, line: 68, type: !13, scopeLine: 68, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!348 = distinct !DILocation(line: 124, column: 12, scope: !328)
!349 = !DILocation(line: 93, column: 27, scope: !350, inlinedAt: !351)
!350 = distinct !DISubprogram(name: "__fetch_builtin_y", scope: !17, file: !17, line: 93, type: !13, scopeLine: 93, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!351 = distinct !DILocation(line: 124, column: 25, scope: !328)
!352 = !DILocation(line: 124, column: 23, scope: !328)
!353 = !DILocation(line: 67, column: 27, scope: !354, inlinedAt: !355)
!354 = distinct !DISubprogram(name: "__fetch_builtin_y", scope: !17, file: !17, line: 67, type: !13, scopeLine: 67, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!355 = distinct !DILocation(line: 124, column: 37, scope: !328)
!356 = !DILocation(line: 124, column: 35, scope: !328)
!357 = !DILocation(line: 92, column: 27, scope: !358, inlinedAt: !359)
!358 = distinct !DISubprogram(name: "__fetch_builtin_x", scope: !17, file: !17, line: 92, type: !13, scopeLine: 92, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!359 = distinct !DILocation(line: 124, column: 51, scope: !328)
!360 = !DILocation(line: 124, column: 49, scope: !328)
!361 = !DILocation(line: 66, column: 27, scope: !16, inlinedAt: !362)
!362 = distinct !DILocation(line: 124, column: 63, scope: !328)
!363 = !DILocation(line: 124, column: 61, scope: !328)
!364 = !DILocation(line: 125, column: 28, scope: !328)
!365 = !DILocation(line: 81, column: 27, scope: !366, inlinedAt: !367)
!366 = distinct !DISubprogram(name: "__fetch_builtin_z", scope: !17, file: !17, line: 81, type: !13, scopeLine: 81, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!367 = distinct !DILocation(line: 125, column: 43, scope: !328)
!368 = !DILocation(line: 125, column: 41, scope: !328)
!369 = !DILocation(line: 125, column: 14, scope: !328)
!370 = !DILocation(line: 125, column: 55, scope: !328)
!371 = !DILocation(line: 127, column: 3, scope: !328)
!372 = !{i64 4902}
!373 = !DILocation(line: 128, column: 75, scope: !328)
!374 = !DILocation(line: 128, column: 70, scope: !328)
!375 = !DILocation(line: 129, column: 24, scope: !328)
!376 = !DILocation(line: 129, column: 19, scope: !328)
!377 = !DILocation(line: 130, column: 63, scope: !328)
!378 = !DILocation(line: 130, column: 49, scope: !328)
!379 = !DILocation(line: 211, column: 10, scope: !33, inlinedAt: !380)
!380 = distinct !DILocation(line: 130, column: 17, scope: !328)
!381 = !DILocation(line: 130, column: 3, scope: !328)
!382 = !DILocation(line: 130, column: 15, scope: !328)
!383 = !DILocation(line: 131, column: 62, scope: !328)
!384 = !DILocation(line: 131, column: 56, scope: !328)
!385 = !DILocation(line: 131, column: 84, scope: !328)
!386 = !DILocation(line: 131, column: 76, scope: !328)
!387 = !DILocation(line: 18, column: 1, scope: !146, inlinedAt: !388)
!388 = distinct !DILocation(line: 131, column: 14, scope: !328)
!389 = !DILocation(line: 131, column: 3, scope: !328)
!390 = !DILocation(line: 131, column: 12, scope: !328)
!391 = !DILocation(line: 132, column: 20, scope: !328)
!392 = !DILocation(line: 18, column: 43, scope: !37, inlinedAt: !393)
!393 = distinct !DILocation(line: 505, column: 50, scope: !40, inlinedAt: !394)
!394 = distinct !DILocation(line: 132, column: 34, scope: !328)
!395 = !DILocation(line: 132, column: 27, scope: !328)
!396 = !DILocation(line: 132, column: 3, scope: !328)
!397 = !DILocation(line: 132, column: 13, scope: !328)
!398 = !DILocation(line: 133, column: 1, scope: !328)
