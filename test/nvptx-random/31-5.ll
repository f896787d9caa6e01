; ModuleID = 'k.cu'
source_filename = "k.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

$_Z8quotientIhET_S0_S0_ = comdat any

$_Z8quotientInET_S0_S0_ = comdat any

$_Z5wholeIidET_T0_S1_ = comdat any

$_Z5wholeIydET_T0_S1_ = comdat any

$_Z4restIsET_S0_S0_ = comdat any

$_Z4restIjET_S0_S0_ = comdat any

$_Z6numberItEyT_ = comdat any

$_Z6numberIjEyT_ = comdat any

$_Z6numberIiEyT_ = comdat any

$_Z6numberIoEyT_ = comdat any

$_Z6numberIyEyT_ = comdat any

$_Z6numberIaEyT_ = comdat any

@table0 = dso_local addrspace(1) externally_initialized global [8 x i16] [i16 -28765, i16 -1, i16 1, i16 9104, i16 0, i16 -3793, i16 2, i16 3806], align 2
@llvm.compiler.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @table0 to ptr)], section "llvm.metadata"

; Function Attrs: convergent mustprogress noinline nounwind optnone
define dso_local noundef i64 @_Z6numberf(float noundef %0) #0 {
  %2 = alloca float, align 4
  store float %0, ptr %2, align 4
  %3 = load float, ptr %2, align 4
  %4 = load float, ptr %2, align 4
  %5 = fcmp une float %3, %4
  br i1 %5, label %6, label %7

6:                                                ; preds = %1
  br label %9

7:                                                ; preds = %1
  %8 = load i32, ptr %2, align 4
  br label %9

9:                                                ; preds = %7, %6
  %10 = phi i32 [ 2143289344, %6 ], [ %8, %7 ]
  %11 = zext i32 %10 to i64
  ret i64 %11
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define dso_local noundef i64 @_Z6numberd(double noundef %0) #0 {
  %2 = alloca double, align 8
  store double %0, ptr %2, align 8
  %3 = load double, ptr %2, align 8
  %4 = load double, ptr %2, align 8
  %5 = fcmp une double %3, %4
  br i1 %5, label %6, label %7

6:                                                ; preds = %1
  br label %9

7:                                                ; preds = %1
  %8 = load i64, ptr %2, align 8
  br label %9

9:                                                ; preds = %7, %6
  %10 = phi i64 [ 9221120237041090560, %6 ], [ %8, %7 ]
  ret i64 %10
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define dso_local noundef i64 @_Z6numberDF16_(half noundef %0) #0 {
  %2 = alloca half, align 2
  store half %0, ptr %2, align 2
  %3 = load half, ptr %2, align 2
  %4 = load half, ptr %2, align 2
  %5 = fcmp une half %3, %4
  br i1 %5, label %6, label %7

6:                                                ; preds = %1
  br label %10

7:                                                ; preds = %1
  %8 = load i16, ptr %2, align 2
  %9 = zext i16 %8 to i32
  br label %10

10:                                               ; preds = %7, %6
  %11 = phi i32 [ 32256, %6 ], [ %9, %7 ]
  %12 = zext i32 %11 to i64
  ret i64 %12
}

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define dso_local void @k(ptr noundef %0, ptr noundef %1) #1 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca i32, align 4
  %6 = alloca ptr, align 8
  %7 = alloca i16, align 2
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i128, align 16
  %11 = alloca i128, align 16
  %12 = alloca [4 x i32], align 4
  %13 = alloca i16, align 2
  %14 = alloca i8, align 1
  %15 = alloca i16, align 2
  %16 = alloca i32, align 4
  %17 = alloca i32, align 4
  %18 = alloca i32, align 4
  %19 = alloca i32, align 4
  %20 = alloca i32, align 4
  %21 = alloca [4 x i32], align 4
  %22 = alloca i64, align 8
  %23 = alloca i8, align 1
  %24 = alloca i64, align 8
  %25 = alloca i64, align 8
  %26 = alloca i64, align 8
  %27 = alloca i64, align 8
  %28 = alloca i32, align 4
  %29 = alloca i8, align 1
  %30 = alloca i32, align 4
  %31 = alloca i32, align 4
  %32 = alloca i32, align 4
  %33 = alloca i32, align 4
  %34 = alloca i8, align 1
  %35 = alloca i8, align 1
  %36 = alloca i8, align 1
  %37 = alloca i32, align 4
  %38 = alloca i32, align 4
  %39 = alloca i32, align 4
  %40 = alloca i8, align 1
  %41 = alloca i32, align 4
  %42 = alloca i32, align 4
  %43 = alloca i64, align 8
  %44 = alloca i64, align 8
  %45 = alloca i64, align 8
  %46 = alloca i8, align 1
  %47 = alloca i8, align 1
  %48 = alloca i8, align 1
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  %49 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %49, ptr %5, align 4
  %50 = load ptr, ptr %3, align 8
  %51 = load i32, ptr %5, align 4
  %52 = and i32 %51, 31
  %53 = zext i32 %52 to i64
  %54 = getelementptr i64, ptr %50, i64 %53
  store ptr %54, ptr %6, align 8
  %55 = load ptr, ptr %6, align 8
  %56 = getelementptr i64, ptr %55, i64 0
  %57 = load i64, ptr %56, align 8
  %58 = trunc i64 %57 to i16
  store i16 %58, ptr %7, align 2
  %59 = load ptr, ptr %6, align 8
  %60 = getelementptr i64, ptr %59, i64 4
  %61 = load i64, ptr %60, align 8
  %62 = trunc i64 %61 to i32
  store i32 %62, ptr %8, align 4
  %63 = load ptr, ptr %6, align 8
  %64 = getelementptr i64, ptr %63, i64 8
  %65 = load i64, ptr %64, align 8
  %66 = trunc i64 %65 to i32
  store i32 %66, ptr %9, align 4
  %67 = load ptr, ptr %6, align 8
  %68 = getelementptr i64, ptr %67, i64 12
  %69 = load i64, ptr %68, align 8
  %70 = zext i64 %69 to i128
  store i128 %70, ptr %10, align 16
  %71 = load ptr, ptr %6, align 8
  %72 = getelementptr i64, ptr %71, i64 16
  %73 = load i64, ptr %72, align 8
  %74 = zext i64 %73 to i128
  store i128 %74, ptr %11, align 16
  %75 = load i128, ptr %11, align 16
  %76 = trunc i128 %75 to i8
  %77 = load i16, ptr %7, align 2
  %78 = trunc i16 %77 to i8
  %79 = call i8 @llvm.fshr.i8(i8 %76, i8 %76, i8 %78)
  %80 = load i128, ptr %11, align 16
  %81 = load i32, ptr %8, align 4
  %82 = zext i32 %81 to i128
  %83 = call noundef i128 @_Z8quotientInET_S0_S0_(i128 noundef %80, i128 noundef %82) #3
  %84 = trunc i128 %83 to i8
  %85 = call noundef zeroext i8 @_Z8quotientIhET_S0_S0_(i8 noundef zeroext %79, i8 noundef zeroext %84) #3
  %86 = zext i8 %85 to i128
  %87 = icmp eq i128 3371, %86
  br i1 %87, label %88, label %95

88:                                               ; preds = %2
  %89 = load i128, ptr %11, align 16
  %90 = trunc i128 %89 to i8
  %91 = load i128, ptr %11, align 16
  %92 = trunc i128 %91 to i8
  %93 = call i8 @llvm.fshr.i8(i8 %90, i8 %90, i8 %92)
  %94 = sext i8 %93 to i32
  br label %102

95:                                               ; preds = %2
  %96 = load i128, ptr %10, align 16
  %97 = trunc i128 %96 to i16
  %98 = load i32, ptr %9, align 4
  %99 = trunc i32 %98 to i16
  %100 = call i16 @llvm.fshr.i16(i16 %97, i16 %97, i16 %99)
  %101 = sext i16 %100 to i32
  br label %102

102:                                              ; preds = %95, %88
  %103 = phi i32 [ %94, %88 ], [ %101, %95 ]
  %104 = trunc i32 %103 to i16
  %105 = zext i16 %104 to i32
  %106 = load i128, ptr %10, align 16
  %107 = icmp ne i128 %106, 0
  %108 = zext i1 %107 to i32
  %109 = load i16, ptr %7, align 2
  %110 = zext i16 %109 to i32
  %111 = load i32, ptr %8, align 4
  %112 = trunc i32 %111 to i16
  %113 = zext i16 %112 to i32
  %114 = icmp ne i32 %110, %113
  %115 = zext i1 %114 to i32
  %116 = icmp sge i32 %108, %115
  %117 = zext i1 %116 to i16
  %118 = zext i16 %117 to i32
  %119 = icmp sge i32 %105, %118
  br i1 %119, label %120, label %121

120:                                              ; preds = %102
  br label %124

121:                                              ; preds = %102
  %122 = load i16, ptr %7, align 2
  %123 = zext i16 %122 to i32
  br label %124

124:                                              ; preds = %121, %120
  %125 = phi i32 [ 127, %120 ], [ %123, %121 ]
  %126 = icmp ne i32 %125, 0
  %127 = zext i1 %126 to i32
  %128 = load i128, ptr %11, align 16
  %129 = trunc i128 %128 to i16
  %130 = sext i16 %129 to i32
  %131 = xor i32 %130, -1
  %132 = trunc i32 %131 to i16
  %133 = icmp ne i16 %132, 0
  %134 = zext i1 %133 to i32
  %135 = icmp eq i32 %127, %134
  %136 = zext i1 %135 to i32
  %137 = load i32, ptr %8, align 4
  %138 = zext i32 %137 to i64
  %139 = sub i64 %138, 0
  %140 = zext i64 %139 to i128
  %141 = xor i128 %140, -1
  %142 = trunc i128 %141 to i32
  %143 = icmp sle i32 %136, %142
  br i1 %143, label %144, label %290

144:                                              ; preds = %124
  %145 = load i128, ptr %10, align 16
  %146 = trunc i128 %145 to i16
  %147 = sext i16 %146 to i32
  %148 = icmp slt i32 0, %147
  %149 = zext i1 %148 to i32
  store i32 %149, ptr %12, align 4
  %150 = getelementptr inbounds i32, ptr %12, i64 1
  %151 = load i128, ptr %10, align 16
  %152 = trunc i128 %151 to i32
  store i32 %152, ptr %150, align 4
  %153 = getelementptr inbounds i32, ptr %12, i64 2
  %154 = load i16, ptr %7, align 2
  %155 = zext i16 %154 to i32
  %156 = add i32 %155, 127
  %157 = and i32 %156, 7
  %158 = zext i32 %157 to i64
  %159 = getelementptr [8 x i16], ptr addrspacecast (ptr addrspace(1) @table0 to ptr), i64 0, i64 %158
  %160 = load i16, ptr %159, align 2
  %161 = uitofp i16 %160 to double
  %162 = call noundef i32 @_Z5wholeIidET_T0_S1_(double noundef %161, double noundef 1.000000e+02) #3
  %163 = sext i32 %162 to i128
  %164 = load i32, ptr %9, align 4
  %165 = sext i32 %164 to i128
  %166 = or i128 1, %165
  %167 = icmp ne i128 %166, 0
  %168 = zext i1 %167 to i32
  %169 = load i128, ptr %11, align 16
  %170 = trunc i128 %169 to i8
  %171 = zext i8 %170 to i32
  %172 = ashr i32 %171, 2
  %173 = trunc i32 %172 to i8
  %174 = icmp ne i8 %173, 0
  %175 = zext i1 %174 to i32
  %176 = icmp ne i32 %168, %175
  %177 = zext i1 %176 to i64
  %178 = load i32, ptr %9, align 4
  %179 = trunc i32 %178 to i16
  %180 = call { i16, i1 } @llvm.smul.with.overflow.i16(i16 %179, i16 -26819)
  %181 = extractvalue { i16, i1 } %180, 1
  %182 = extractvalue { i16, i1 } %180, 0
  store i16 %182, ptr %13, align 2
  %183 = zext i1 %181 to i8
  store i8 %183, ptr %14, align 1
  %184 = load i16, ptr %13, align 2
  %185 = sext i16 %184 to i32
  %186 = load i8, ptr %14, align 1
  %187 = trunc i8 %186 to i1
  %188 = zext i1 %187 to i32
  %189 = xor i32 %185, %188
  %190 = trunc i32 %189 to i16
  store i16 %190, ptr %15, align 2
  %191 = load i16, ptr %15, align 2
  %192 = trunc i16 %191 to i8
  %193 = sext i8 %192 to i128
  %194 = load i128, ptr %11, align 16
  %195 = trunc i128 %194 to i32
  %196 = load i128, ptr %11, align 16
  %197 = trunc i128 %196 to i32
  %198 = icmp ne i32 %195, %197
  %199 = zext i1 %198 to i8
  %200 = sext i8 %199 to i128
  %201 = mul i128 %193, %200
  %202 = ashr i128 %201, 8
  %203 = trunc i128 %202 to i8
  %204 = sext i8 %203 to i64
  %205 = icmp ult i64 %177, %204
  br i1 %205, label %206, label %212

206:                                              ; preds = %144
  %207 = load i32, ptr %9, align 4
  %208 = sext i32 %207 to i64
  %209 = load i128, ptr %11, align 16
  %210 = trunc i128 %209 to i64
  %211 = add i64 %208, %210
  br label %215

212:                                              ; preds = %144
  %213 = load i128, ptr %11, align 16
  %214 = trunc i128 %213 to i64
  br label %215

215:                                              ; preds = %212, %206
  %216 = phi i64 [ %211, %206 ], [ %214, %212 ]
  %217 = sext i64 %216 to i128
  %218 = icmp sle i128 %163, %217
  br i1 %218, label %219, label %222

219:                                              ; preds = %215
  %220 = load i128, ptr %11, align 16
  %221 = trunc i128 %220 to i8
  br label %225

222:                                              ; preds = %215
  %223 = load i128, ptr %11, align 16
  %224 = trunc i128 %223 to i8
  br label %225

225:                                              ; preds = %222, %219
  %226 = phi i8 [ %221, %219 ], [ %224, %222 ]
  %227 = sext i8 %226 to i32
  store i32 %227, ptr %153, align 4
  %228 = getelementptr inbounds i32, ptr %12, i64 3
  %229 = load i16, ptr %7, align 2
  %230 = zext i16 %229 to i32
  store i32 %230, ptr %228, align 4
  %231 = load i32, ptr %8, align 4
  %232 = load i128, ptr %10, align 16
  %233 = trunc i128 %232 to i32
  %234 = mul i32 %231, %233
  %235 = zext i32 %234 to i64
  %236 = xor i64 %235, -1
  %237 = trunc i64 %236 to i32
  %238 = load i32, ptr %9, align 4
  %239 = and i32 %238, 3
  %240 = zext i32 %239 to i64
  %241 = getelementptr [4 x i32], ptr %12, i64 0, i64 %240
  store i32 %237, ptr %241, align 4
  %242 = load i16, ptr %7, align 2
  %243 = zext i16 %242 to i64
  %244 = load i128, ptr %11, align 16
  %245 = trunc i128 %244 to i64
  %246 = and i64 %243, %245
  %247 = trunc i64 %246 to i32
  %248 = and i32 %247, 3
  %249 = zext i32 %248 to i64
  %250 = getelementptr [4 x i32], ptr %12, i64 0, i64 %249
  %251 = load i32, ptr %250, align 4
  %252 = trunc i32 %251 to i16
  store i16 %252, ptr %7, align 2
  store i32 0, ptr %16, align 4
  br label %253

253:                                              ; preds = %286, %225
  %254 = load i32, ptr %16, align 4
  %255 = load i32, ptr %9, align 4
  %256 = sext i32 %255 to i64
  %257 = add i64 424177, %256
  %258 = trunc i64 %257 to i32
  %259 = and i32 %258, 7
  %260 = icmp ult i32 %254, %259
  br i1 %260, label %261, label %289

261:                                              ; preds = %253
  %262 = load i32, ptr %9, align 4
  store i32 %262, ptr %17, align 4
  %263 = load i16, ptr %7, align 2
  %264 = zext i16 %263 to i32
  store i32 %264, ptr %18, align 4
  %265 = load i32, ptr %17, align 4
  %266 = load i32, ptr %18, align 4
  %267 = icmp sgt i32 %265, %266
  br i1 %267, label %268, label %270

268:                                              ; preds = %261
  %269 = load i32, ptr %17, align 4
  br label %272

270:                                              ; preds = %261
  %271 = load i32, ptr %18, align 4
  br label %272

272:                                              ; preds = %270, %268
  %273 = phi i32 [ %269, %268 ], [ %271, %270 ]
  store i32 %273, ptr %19, align 4
  %274 = load i32, ptr %19, align 4
  %275 = trunc i32 %274 to i16
  %276 = zext i16 %275 to i32
  %277 = load i128, ptr %10, align 16
  %278 = trunc i128 %277 to i16
  %279 = zext i16 %278 to i32
  %280 = and i32 %276, %279
  %281 = trunc i32 %280 to i16
  %282 = zext i16 %281 to i32
  %283 = xor i32 %282, -1
  %284 = trunc i32 %283 to i16
  %285 = zext i16 %284 to i32
  store i32 %285, ptr %8, align 4
  br label %286

286:                                              ; preds = %272
  %287 = load i32, ptr %16, align 4
  %288 = add i32 %287, 1
  store i32 %288, ptr %16, align 4
  br label %253, !llvm.loop !5

289:                                              ; preds = %253
  br label %300

290:                                              ; preds = %124
  %291 = load i32, ptr %9, align 4
  %292 = trunc i32 %291 to i8
  %293 = sext i8 %292 to i32
  %294 = load i32, ptr %8, align 4
  %295 = trunc i32 %294 to i8
  %296 = sext i8 %295 to i32
  %297 = mul i32 %293, %296
  %298 = trunc i32 %297 to i8
  %299 = sext i8 %298 to i128
  store i128 %299, ptr %11, align 16
  br label %300

300:                                              ; preds = %290, %289
  %301 = load i128, ptr %11, align 16
  %302 = trunc i128 %301 to i32
  store i32 %302, ptr %9, align 4
  %303 = load i128, ptr %10, align 16
  %304 = trunc i128 %303 to i8
  %305 = sext i8 %304 to i32
  %306 = load i128, ptr %10, align 16
  %307 = trunc i128 %306 to i8
  %308 = sext i8 %307 to i32
  %309 = icmp slt i32 %305, %308
  %310 = zext i1 %309 to i32
  store i32 %310, ptr %8, align 4
  store i32 0, ptr %20, align 4
  br label %311

311:                                              ; preds = %683, %300
  %312 = load i32, ptr %20, align 4
  %313 = load i32, ptr %9, align 4
  %314 = sext i32 %313 to i64
  %315 = call i64 @llvm.bitreverse.i64(i64 %314)
  %316 = trunc i64 %315 to i32
  %317 = and i32 %316, 7
  %318 = icmp ult i32 %312, %317
  br i1 %318, label %319, label %686

319:                                              ; preds = %311
  %320 = load i128, ptr %10, align 16
  %321 = trunc i128 %320 to i32
  %322 = load i32, ptr %9, align 4
  %323 = icmp eq i32 %321, %322
  %324 = zext i1 %323 to i8
  %325 = zext i8 %324 to i32
  %326 = load i128, ptr %10, align 16
  %327 = xor i128 %326, -1
  %328 = trunc i128 %327 to i8
  %329 = zext i8 %328 to i32
  %330 = and i32 %329, 7
  %331 = shl i32 %325, %330
  %332 = trunc i32 %331 to i8
  %333 = zext i8 %332 to i128
  %334 = load i32, ptr %8, align 4
  %335 = trunc i32 %334 to i8
  %336 = sext i8 %335 to i32
  %337 = mul i32 %336, 1
  %338 = trunc i32 %337 to i8
  %339 = sext i8 %338 to i16
  %340 = load i16, ptr getelementptr ([8 x i16], ptr addrspacecast (ptr addrspace(1) @table0 to ptr), i64 0, i64 3), align 2
  %341 = uitofp i16 %340 to double
  %342 = call noundef i32 @_Z5wholeIidET_T0_S1_(double noundef %341, double noundef 1.000000e+02) #3
  %343 = trunc i32 %342 to i16
  %344 = call i16 @llvm.fshl.i16(i16 %339, i16 %339, i16 %343)
  %345 = sext i16 %344 to i128
  %346 = icmp slt i128 %333, %345
  br i1 %346, label %347, label %348

347:                                              ; preds = %319
  br label %683

348:                                              ; preds = %319
  %349 = load i32, ptr %9, align 4
  %350 = trunc i32 %349 to i8
  %351 = zext i8 %350 to i32
  %352 = icmp slt i32 255, %351
  br i1 %352, label %353, label %473

353:                                              ; preds = %348
  %354 = load i32, ptr %9, align 4
  store i32 %354, ptr %21, align 4
  %355 = getelementptr inbounds i32, ptr %21, i64 1
  %356 = load i32, ptr %8, align 4
  store i32 %356, ptr %355, align 4
  %357 = getelementptr inbounds i32, ptr %21, i64 2
  %358 = load i128, ptr %10, align 16
  %359 = trunc i128 %358 to i16
  %360 = load i32, ptr %8, align 4
  %361 = trunc i32 %360 to i16
  %362 = call i16 @llvm.fshl.i16(i16 %359, i16 %359, i16 %361)
  %363 = sext i16 %362 to i32
  store i32 %363, ptr %357, align 4
  %364 = getelementptr inbounds i32, ptr %21, i64 3
  %365 = load i16, ptr %7, align 2
  %366 = zext i16 %365 to i64
  %367 = call i64 @llvm.bswap.i64(i64 %366)
  %368 = trunc i64 %367 to i32
  store i32 %368, ptr %364, align 4
  %369 = load i128, ptr %10, align 16
  %370 = trunc i128 %369 to i32
  %371 = load i32, ptr %9, align 4
  %372 = icmp ne i32 %371, 0
  %373 = zext i1 %372 to i32
  %374 = load i32, ptr %9, align 4
  %375 = icmp ne i32 %374, 0
  %376 = zext i1 %375 to i32
  %377 = icmp eq i32 %373, %376
  %378 = zext i1 %377 to i32
  %379 = and i32 %378, 3
  %380 = zext i32 %379 to i64
  %381 = getelementptr [4 x i32], ptr %21, i64 0, i64 %380
  store i32 %370, ptr %381, align 4
  %382 = load i128, ptr %11, align 16
  %383 = trunc i128 %382 to i32
  %384 = and i32 %383, 3
  %385 = zext i32 %384 to i64
  %386 = getelementptr [4 x i32], ptr %21, i64 0, i64 %385
  %387 = load i32, ptr %386, align 4
  store i32 %387, ptr %8, align 4
  %388 = load i32, ptr %8, align 4
  %389 = zext i32 %388 to i128
  %390 = load i128, ptr %10, align 16
  %391 = icmp eq i128 %389, %390
  br i1 %391, label %392, label %398

392:                                              ; preds = %353
  %393 = load i32, ptr %8, align 4
  %394 = trunc i32 %393 to i8
  %395 = zext i8 %394 to i32
  %396 = icmp slt i32 1, %395
  %397 = zext i1 %396 to i32
  store i32 %397, ptr %8, align 4
  br label %434

398:                                              ; preds = %353
  %399 = load i32, ptr %9, align 4
  %400 = sext i32 %399 to i64
  store i64 %400, ptr %24, align 8
  store i64 2147483647, ptr %25, align 8
  %401 = load i64, ptr %24, align 8
  %402 = load i64, ptr %25, align 8
  %403 = icmp ult i64 %401, %402
  br i1 %403, label %404, label %406

404:                                              ; preds = %398
  %405 = load i64, ptr %24, align 8
  br label %408

406:                                              ; preds = %398
  %407 = load i64, ptr %25, align 8
  br label %408

408:                                              ; preds = %406, %404
  %409 = phi i64 [ %405, %404 ], [ %407, %406 ]
  store i64 %409, ptr %26, align 8
  %410 = load i64, ptr %26, align 8
  %411 = trunc i64 %410 to i32
  %412 = xor i32 %411, -1
  %413 = zext i32 %412 to i64
  %414 = load i16, ptr %7, align 2
  %415 = zext i16 %414 to i64
  %416 = call { i64, i1 } @llvm.smul.with.overflow.i64(i64 %413, i64 %415)
  %417 = extractvalue { i64, i1 } %416, 1
  %418 = extractvalue { i64, i1 } %416, 0
  store i64 %418, ptr %22, align 8
  %419 = zext i1 %417 to i8
  store i8 %419, ptr %23, align 1
  %420 = load i64, ptr %22, align 8
  %421 = load i8, ptr %23, align 1
  %422 = trunc i8 %421 to i1
  %423 = zext i1 %422 to i64
  %424 = xor i64 %420, %423
  store i64 %424, ptr %27, align 8
  %425 = load i64, ptr %27, align 8
  %426 = trunc i64 %425 to i32
  store i32 %426, ptr %9, align 4
  %427 = load i32, ptr %9, align 4
  %428 = sext i32 %427 to i128
  %429 = load i128, ptr %11, align 16
  %430 = trunc i128 %429 to i32
  %431 = call i32 @llvm.bswap.i32(i32 %430)
  %432 = zext i32 %431 to i128
  %433 = xor i128 %428, %432
  store i128 %433, ptr %10, align 16
  br label %434

434:                                              ; preds = %408, %392
  %435 = load i16, ptr %7, align 2
  %436 = zext i16 %435 to i128
  %437 = load i128, ptr %11, align 16
  %438 = trunc i128 %437 to i16
  %439 = zext i16 %438 to i32
  %440 = sub i32 127, %439
  %441 = trunc i32 %440 to i16
  %442 = zext i16 %441 to i128
  %443 = mul i128 %436, %442
  %444 = trunc i128 %443 to i32
  %445 = load i128, ptr %10, align 16
  %446 = trunc i128 %445 to i64
  %447 = trunc i64 %446 to i32
  %448 = and i32 %447, 7
  %449 = zext i32 %448 to i64
  %450 = getelementptr [8 x i16], ptr addrspacecast (ptr addrspace(1) @table0 to ptr), i64 0, i64 %449
  %451 = load i16, ptr %450, align 2
  %452 = uitofp i16 %451 to double
  %453 = call noundef i64 @_Z5wholeIydET_T0_S1_(double noundef %452, double noundef 1.000000e+02) #3
  %454 = trunc i64 %453 to i16
  %455 = zext i16 %454 to i32
  %456 = load i128, ptr %10, align 16
  %457 = trunc i128 %456 to i16
  %458 = call noundef signext i16 @_Z4restIsET_S0_S0_(i16 noundef signext %457, i16 noundef signext -8436) #3
  %459 = zext i16 %458 to i32
  %460 = or i32 %455, %459
  %461 = trunc i32 %460 to i16
  %462 = zext i16 %461 to i32
  %463 = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %444, i32 %462)
  %464 = extractvalue { i32, i1 } %463, 1
  %465 = extractvalue { i32, i1 } %463, 0
  store i32 %465, ptr %28, align 4
  %466 = zext i1 %464 to i8
  store i8 %466, ptr %29, align 1
  %467 = load i32, ptr %28, align 4
  %468 = load i8, ptr %29, align 1
  %469 = trunc i8 %468 to i1
  %470 = zext i1 %469 to i32
  %471 = xor i32 %467, %470
  store i32 %471, ptr %30, align 4
  %472 = load i32, ptr %30, align 4
  store i32 %472, ptr %9, align 4
  br label %613

473:                                              ; preds = %348
  store i32 0, ptr %31, align 4
  br label %474

474:                                              ; preds = %540, %473
  %475 = load i32, ptr %31, align 4
  %476 = load i128, ptr %10, align 16
  %477 = trunc i128 %476 to i32
  %478 = load i128, ptr %11, align 16
  %479 = trunc i128 %478 to i32
  %480 = or i32 %477, %479
  %481 = and i32 %480, 7
  %482 = icmp ult i32 %475, %481
  br i1 %482, label %483, label %543

483:                                              ; preds = %474
  %484 = load i128, ptr %10, align 16
  %485 = trunc i128 %484 to i32
  store i32 %485, ptr %32, align 4
  %486 = load i32, ptr %9, align 4
  %487 = trunc i32 %486 to i8
  %488 = load i32, ptr %9, align 4
  %489 = trunc i32 %488 to i8
  %490 = call { i8, i1 } @llvm.umul.with.overflow.i8(i8 %487, i8 %489)
  %491 = extractvalue { i8, i1 } %490, 1
  %492 = extractvalue { i8, i1 } %490, 0
  store i8 %492, ptr %34, align 1
  %493 = zext i1 %491 to i8
  store i8 %493, ptr %35, align 1
  %494 = load i8, ptr %34, align 1
  %495 = zext i8 %494 to i32
  %496 = load i8, ptr %35, align 1
  %497 = trunc i8 %496 to i1
  %498 = zext i1 %497 to i32
  %499 = xor i32 %495, %498
  %500 = trunc i32 %499 to i8
  store i8 %500, ptr %36, align 1
  %501 = load i8, ptr %36, align 1
  %502 = zext i8 %501 to i32
  %503 = load i128, ptr %10, align 16
  %504 = trunc i128 %503 to i8
  %505 = sext i8 %504 to i64
  %506 = call i64 @llvm.ctpop.i64(i64 %505)
  %507 = trunc i64 %506 to i32
  %508 = trunc i32 %507 to i8
  %509 = zext i8 %508 to i32
  %510 = icmp slt i32 %502, %509
  %511 = zext i1 %510 to i32
  store i32 %511, ptr %33, align 4
  %512 = load i32, ptr %32, align 4
  %513 = load i32, ptr %33, align 4
  %514 = icmp slt i32 %512, %513
  br i1 %514, label %515, label %517

515:                                              ; preds = %483
  %516 = load i32, ptr %32, align 4
  br label %519

517:                                              ; preds = %483
  %518 = load i32, ptr %33, align 4
  br label %519

519:                                              ; preds = %517, %515
  %520 = phi i32 [ %516, %515 ], [ %518, %517 ]
  store i32 %520, ptr %37, align 4
  %521 = load i32, ptr %37, align 4
  store i32 %521, ptr %9, align 4
  store i32 -1, ptr %8, align 4
  %522 = load i128, ptr %11, align 16
  %523 = trunc i128 %522 to i16
  %524 = zext i16 %523 to i32
  %525 = sub i32 0, %524
  %526 = trunc i32 %525 to i16
  %527 = zext i16 %526 to i128
  %528 = load i32, ptr %9, align 4
  %529 = trunc i32 %528 to i16
  %530 = zext i16 %529 to i32
  %531 = ashr i32 %530, 14
  %532 = trunc i32 %531 to i16
  %533 = zext i16 %532 to i128
  %534 = icmp sle i128 %527, %533
  %535 = zext i1 %534 to i16
  %536 = zext i16 %535 to i32
  %537 = or i32 65535, %536
  %538 = trunc i32 %537 to i16
  %539 = zext i16 %538 to i128
  store i128 %539, ptr %10, align 16
  br label %540

540:                                              ; preds = %519
  %541 = load i32, ptr %31, align 4
  %542 = add i32 %541, 1
  store i32 %542, ptr %31, align 4
  br label %474, !llvm.loop !7

543:                                              ; preds = %474
  store i32 0, ptr %38, align 4
  br label %544

544:                                              ; preds = %609, %543
  %545 = load i32, ptr %38, align 4
  %546 = icmp ult i32 %545, 2
  br i1 %546, label %547, label %612

547:                                              ; preds = %544
  %548 = load i128, ptr %11, align 16
  %549 = icmp ne i128 %548, 0
  %550 = zext i1 %549 to i32
  %551 = icmp ne i32 1, %550
  %552 = zext i1 %551 to i16
  %553 = zext i16 %552 to i32
  %554 = load i16, ptr %7, align 2
  %555 = sext i16 %554 to i32
  %556 = load i128, ptr %10, align 16
  %557 = trunc i128 %556 to i16
  %558 = sext i16 %557 to i32
  %559 = and i32 %558, 15
  %560 = shl i32 %555, %559
  %561 = trunc i32 %560 to i16
  %562 = zext i16 %561 to i32
  %563 = and i32 %562, 15
  %564 = ashr i32 %553, %563
  %565 = trunc i32 %564 to i16
  %566 = zext i16 %565 to i128
  %567 = load i32, ptr %8, align 4
  %568 = zext i32 %567 to i64
  %569 = and i64 0, %568
  %570 = trunc i64 %569 to i8
  %571 = sext i8 %570 to i32
  %572 = load i16, ptr %7, align 2
  %573 = zext i16 %572 to i32
  %574 = load i128, ptr %11, align 16
  %575 = trunc i128 %574 to i32
  %576 = call { i32, i1 } @llvm.usub.with.overflow.i32(i32 %573, i32 %575)
  %577 = extractvalue { i32, i1 } %576, 1
  %578 = extractvalue { i32, i1 } %576, 0
  store i32 %578, ptr %39, align 4
  %579 = zext i1 %577 to i8
  store i8 %579, ptr %40, align 1
  %580 = load i32, ptr %39, align 4
  %581 = load i8, ptr %40, align 1
  %582 = trunc i8 %581 to i1
  %583 = zext i1 %582 to i32
  %584 = xor i32 %580, %583
  store i32 %584, ptr %41, align 4
  %585 = load i32, ptr %41, align 4
  %586 = trunc i32 %585 to i8
  %587 = sext i8 %586 to i32
  %588 = sub i32 %571, %587
  %589 = trunc i32 %588 to i8
  %590 = sext i8 %589 to i128
  %591 = icmp ugt i128 %566, %590
  br i1 %591, label %592, label %603

592:                                              ; preds = %547
  %593 = load i128, ptr %11, align 16
  %594 = trunc i128 %593 to i16
  %595 = zext i16 %594 to i32
  %596 = sub i32 0, %595
  %597 = trunc i32 %596 to i16
  %598 = trunc i16 %597 to i8
  %599 = sext i8 %598 to i32
  %600 = xor i32 %599, -1
  %601 = trunc i32 %600 to i8
  %602 = sext i8 %601 to i64
  br label %606

603:                                              ; preds = %547
  %604 = load i32, ptr %9, align 4
  %605 = sext i32 %604 to i64
  br label %606

606:                                              ; preds = %603, %592
  %607 = phi i64 [ %602, %592 ], [ %605, %603 ]
  %608 = trunc i64 %607 to i32
  store i32 %608, ptr %9, align 4
  br label %609

609:                                              ; preds = %606
  %610 = load i32, ptr %38, align 4
  %611 = add i32 %610, 1
  store i32 %611, ptr %38, align 4
  br label %544, !llvm.loop !8

612:                                              ; preds = %544
  br label %613

613:                                              ; preds = %612, %434
  %614 = load i128, ptr %10, align 16
  %615 = trunc i128 %614 to i8
  %616 = zext i8 %615 to i32
  %617 = load i32, ptr %9, align 4
  %618 = trunc i32 %617 to i8
  %619 = zext i8 %618 to i32
  %620 = icmp ne i32 %616, %619
  %621 = zext i1 %620 to i16
  %622 = sext i16 %621 to i32
  %623 = load i128, ptr %10, align 16
  %624 = trunc i128 %623 to i32
  %625 = call noundef i32 @_Z4restIjET_S0_S0_(i32 noundef 7804690, i32 noundef %624) #3
  %626 = trunc i32 %625 to i16
  %627 = zext i16 %626 to i32
  %628 = and i32 65535, %627
  %629 = trunc i32 %628 to i16
  %630 = zext i16 %629 to i128
  %631 = load i16, ptr %7, align 2
  %632 = zext i16 %631 to i128
  %633 = icmp sgt i128 %630, %632
  br i1 %633, label %634, label %637

634:                                              ; preds = %613
  %635 = load i32, ptr %9, align 4
  %636 = trunc i32 %635 to i16
  br label %640

637:                                              ; preds = %613
  %638 = load i128, ptr %11, align 16
  %639 = trunc i128 %638 to i16
  br label %640

640:                                              ; preds = %637, %634
  %641 = phi i16 [ %636, %634 ], [ %639, %637 ]
  %642 = sext i16 %641 to i32
  %643 = icmp eq i32 %622, %642
  %644 = zext i1 %643 to i16
  %645 = sext i16 %644 to i64
  %646 = call i64 @llvm.ctpop.i64(i64 %645)
  %647 = trunc i64 %646 to i32
  %648 = trunc i32 %647 to i16
  store i16 %648, ptr %7, align 2
  %649 = load i32, ptr %8, align 4
  %650 = zext i32 %649 to i128
  %651 = load i32, ptr %8, align 4
  %652 = zext i32 %651 to i128
  %653 = trunc i128 %652 to i32
  %654 = and i32 %653, 127
  %655 = zext i32 %654 to i128
  %656 = ashr i128 %650, %655
  %657 = trunc i128 %656 to i16
  %658 = sext i16 %657 to i64
  %659 = call i64 @llvm.ctpop.i64(i64 %658)
  %660 = trunc i64 %659 to i32
  %661 = trunc i32 %660 to i16
  %662 = sext i16 %661 to i128
  %663 = load i32, ptr %8, align 4
  %664 = zext i32 %663 to i128
  %665 = icmp ne i128 %662, %664
  br i1 %665, label %666, label %667

666:                                              ; preds = %640
  br label %670

667:                                              ; preds = %640
  %668 = load i128, ptr %11, align 16
  %669 = trunc i128 %668 to i32
  br label %670

670:                                              ; preds = %667, %666
  %671 = phi i32 [ 128, %666 ], [ %669, %667 ]
  %672 = sext i32 %671 to i64
  %673 = call i64 @llvm.ctpop.i64(i64 %672)
  %674 = trunc i64 %673 to i32
  %675 = sext i32 %674 to i64
  %676 = icmp ne i64 %675, 0
  %677 = zext i1 %676 to i32
  %678 = load i16, ptr %7, align 2
  %679 = icmp ne i16 %678, 0
  %680 = zext i1 %679 to i32
  %681 = icmp ne i32 %677, %680
  %682 = zext i1 %681 to i128
  store i128 %682, ptr %11, align 16
  br label %683

683:                                              ; preds = %670, %347
  %684 = load i32, ptr %20, align 4
  %685 = add i32 %684, 1
  store i32 %685, ptr %20, align 4
  br label %311, !llvm.loop !9

686:                                              ; preds = %311
  %687 = load i128, ptr %10, align 16
  %688 = trunc i128 %687 to i32
  store i32 %688, ptr %8, align 4
  store i32 0, ptr %42, align 4
  br label %689

689:                                              ; preds = %701, %686
  %690 = load i32, ptr %42, align 4
  %691 = load i32, ptr %9, align 4
  %692 = trunc i32 %691 to i16
  %693 = zext i16 %692 to i32
  %694 = xor i32 %693, 127
  %695 = trunc i32 %694 to i16
  %696 = zext i16 %695 to i32
  %697 = and i32 %696, 7
  %698 = icmp ult i32 %690, %697
  br i1 %698, label %699, label %704

699:                                              ; preds = %689
  %700 = load i32, ptr %9, align 4
  store i32 %700, ptr %8, align 4
  br label %701

701:                                              ; preds = %699
  %702 = load i32, ptr %42, align 4
  %703 = add i32 %702, 1
  store i32 %703, ptr %42, align 4
  br label %689, !llvm.loop !10

704:                                              ; preds = %689
  %705 = load i16, ptr %7, align 2
  %706 = call noundef i64 @_Z6numberItEyT_(i16 noundef zeroext %705) #3
  %707 = load ptr, ptr %4, align 8
  %708 = load i32, ptr %5, align 4
  %709 = mul i32 %708, 8
  %710 = add i32 %709, 0
  %711 = zext i32 %710 to i64
  %712 = getelementptr i64, ptr %707, i64 %711
  store i64 %706, ptr %712, align 8
  %713 = load i32, ptr %8, align 4
  %714 = call noundef i64 @_Z6numberIjEyT_(i32 noundef %713) #3
  %715 = load ptr, ptr %4, align 8
  %716 = load i32, ptr %5, align 4
  %717 = mul i32 %716, 8
  %718 = add i32 %717, 1
  %719 = zext i32 %718 to i64
  %720 = getelementptr i64, ptr %715, i64 %719
  store i64 %714, ptr %720, align 8
  %721 = load i32, ptr %9, align 4
  %722 = call noundef i64 @_Z6numberIiEyT_(i32 noundef %721) #3
  %723 = load ptr, ptr %4, align 8
  %724 = load i32, ptr %5, align 4
  %725 = mul i32 %724, 8
  %726 = add i32 %725, 2
  %727 = zext i32 %726 to i64
  %728 = getelementptr i64, ptr %723, i64 %727
  store i64 %722, ptr %728, align 8
  %729 = load i128, ptr %10, align 16
  %730 = call noundef i64 @_Z6numberIoEyT_(i128 noundef %729) #3
  %731 = load ptr, ptr %4, align 8
  %732 = load i32, ptr %5, align 4
  %733 = mul i32 %732, 8
  %734 = add i32 %733, 3
  %735 = zext i32 %734 to i64
  %736 = getelementptr i64, ptr %731, i64 %735
  store i64 %730, ptr %736, align 8
  %737 = load i128, ptr %11, align 16
  %738 = call noundef i64 @_Z6numberIoEyT_(i128 noundef %737) #3
  %739 = load ptr, ptr %4, align 8
  %740 = load i32, ptr %5, align 4
  %741 = mul i32 %740, 8
  %742 = add i32 %741, 4
  %743 = zext i32 %742 to i64
  %744 = getelementptr i64, ptr %739, i64 %743
  store i64 %738, ptr %744, align 8
  %745 = load i32, ptr %9, align 4
  %746 = call noundef i64 @_Z6numberIiEyT_(i32 noundef %745) #3
  %747 = load ptr, ptr %4, align 8
  %748 = load i32, ptr %5, align 4
  %749 = mul i32 %748, 8
  %750 = add i32 %749, 5
  %751 = zext i32 %750 to i64
  %752 = getelementptr i64, ptr %747, i64 %751
  store i64 %746, ptr %752, align 8
  %753 = load i16, ptr %7, align 2
  %754 = trunc i16 %753 to i8
  %755 = zext i8 %754 to i32
  %756 = mul i32 0, %755
  %757 = trunc i32 %756 to i8
  %758 = zext i8 %757 to i64
  store i64 %758, ptr %43, align 8
  %759 = load i128, ptr %11, align 16
  %760 = trunc i128 %759 to i64
  %761 = zext i64 %760 to i128
  %762 = mul i128 297234, %761
  %763 = lshr i128 %762, 64
  %764 = trunc i128 %763 to i64
  %765 = zext i64 %764 to i128
  %766 = load i32, ptr %9, align 4
  %767 = sext i32 %766 to i128
  %768 = icmp slt i128 %765, %767
  %769 = zext i1 %768 to i64
  store i64 %769, ptr %44, align 8
  %770 = load i64, ptr %43, align 8
  %771 = load i64, ptr %44, align 8
  %772 = icmp ult i64 %770, %771
  br i1 %772, label %773, label %775

773:                                              ; preds = %704
  %774 = load i64, ptr %43, align 8
  br label %777

775:                                              ; preds = %704
  %776 = load i64, ptr %44, align 8
  br label %777

777:                                              ; preds = %775, %773
  %778 = phi i64 [ %774, %773 ], [ %776, %775 ]
  store i64 %778, ptr %45, align 8
  %779 = load i64, ptr %45, align 8
  %780 = call noundef i64 @_Z6numberIyEyT_(i64 noundef %779) #3
  %781 = load ptr, ptr %4, align 8
  %782 = load i32, ptr %5, align 4
  %783 = mul i32 %782, 8
  %784 = add i32 %783, 6
  %785 = zext i32 %784 to i64
  %786 = getelementptr i64, ptr %781, i64 %785
  store i64 %780, ptr %786, align 8
  %787 = load i128, ptr %11, align 16
  %788 = trunc i128 %787 to i8
  %789 = call { i8, i1 } @llvm.smul.with.overflow.i8(i8 %788, i8 29)
  %790 = extractvalue { i8, i1 } %789, 1
  %791 = extractvalue { i8, i1 } %789, 0
  store i8 %791, ptr %46, align 1
  %792 = zext i1 %790 to i8
  store i8 %792, ptr %47, align 1
  %793 = load i8, ptr %46, align 1
  %794 = sext i8 %793 to i32
  %795 = load i8, ptr %47, align 1
  %796 = trunc i8 %795 to i1
  %797 = zext i1 %796 to i32
  %798 = xor i32 %794, %797
  %799 = trunc i32 %798 to i8
  store i8 %799, ptr %48, align 1
  %800 = load i8, ptr %48, align 1
  %801 = call noundef i64 @_Z6numberIaEyT_(i8 noundef signext %800) #3
  %802 = load ptr, ptr %4, align 8
  %803 = load i32, ptr %5, align 4
  %804 = mul i32 %803, 8
  %805 = add i32 %804, 7
  %806 = zext i32 %805 to i64
  %807 = getelementptr i64, ptr %802, i64 %806
  store i64 %801, ptr %807, align 8
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef zeroext i8 @_Z8quotientIhET_S0_S0_(i8 noundef zeroext %0, i8 noundef zeroext %1) #0 comdat {
  %3 = alloca i8, align 1
  %4 = alloca i8, align 1
  store i8 %0, ptr %3, align 1
  store i8 %1, ptr %4, align 1
  %5 = load i8, ptr %4, align 1
  %6 = zext i8 %5 to i32
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %12, label %8

8:                                                ; preds = %2
  %9 = load i8, ptr %4, align 1
  %10 = zext i8 %9 to i32
  %11 = icmp eq i32 %10, 255
  br i1 %11, label %12, label %15

12:                                               ; preds = %8, %2
  %13 = load i8, ptr %3, align 1
  %14 = zext i8 %13 to i32
  br label %21

15:                                               ; preds = %8
  %16 = load i8, ptr %3, align 1
  %17 = zext i8 %16 to i32
  %18 = load i8, ptr %4, align 1
  %19 = zext i8 %18 to i32
  %20 = sdiv i32 %17, %19
  br label %21

21:                                               ; preds = %15, %12
  %22 = phi i32 [ %14, %12 ], [ %20, %15 ]
  %23 = trunc i32 %22 to i8
  ret i8 %23
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i8 @llvm.fshr.i8(i8, i8, i8) #2

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i128 @_Z8quotientInET_S0_S0_(i128 noundef %0, i128 noundef %1) #0 comdat {
  %3 = alloca i128, align 16
  %4 = alloca i128, align 16
  store i128 %0, ptr %3, align 16
  store i128 %1, ptr %4, align 16
  %5 = load i128, ptr %4, align 16
  %6 = icmp eq i128 %5, 0
  br i1 %6, label %10, label %7

7:                                                ; preds = %2
  %8 = load i128, ptr %4, align 16
  %9 = icmp eq i128 %8, -1
  br i1 %9, label %10, label %12

10:                                               ; preds = %7, %2
  %11 = load i128, ptr %3, align 16
  br label %16

12:                                               ; preds = %7
  %13 = load i128, ptr %3, align 16
  %14 = load i128, ptr %4, align 16
  %15 = sdiv i128 %13, %14
  br label %16

16:                                               ; preds = %12, %10
  %17 = phi i128 [ %11, %10 ], [ %15, %12 ]
  ret i128 %17
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i16 @llvm.fshr.i16(i16, i16, i16) #2

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i32 @_Z5wholeIidET_T0_S1_(double noundef %0, double noundef %1) #0 comdat {
  %3 = alloca double, align 8
  %4 = alloca double, align 8
  store double %0, ptr %3, align 8
  store double %1, ptr %4, align 8
  %5 = load double, ptr %3, align 8
  %6 = load double, ptr %4, align 8
  %7 = fneg double %6
  %8 = fcmp ogt double %5, %7
  br i1 %8, label %9, label %16

9:                                                ; preds = %2
  %10 = load double, ptr %3, align 8
  %11 = load double, ptr %4, align 8
  %12 = fcmp olt double %10, %11
  br i1 %12, label %13, label %16

13:                                               ; preds = %9
  %14 = load double, ptr %3, align 8
  %15 = fptosi double %14 to i32
  br label %17

16:                                               ; preds = %9, %2
  br label %17

17:                                               ; preds = %16, %13
  %18 = phi i32 [ %15, %13 ], [ 1, %16 ]
  ret i32 %18
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare { i16, i1 } @llvm.smul.with.overflow.i16(i16, i16) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.bitreverse.i64(i64) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i16 @llvm.fshl.i16(i16, i16, i16) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.bswap.i64(i64) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare { i64, i1 } @llvm.smul.with.overflow.i64(i64, i64) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.bswap.i32(i32) #2

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i64 @_Z5wholeIydET_T0_S1_(double noundef %0, double noundef %1) #0 comdat {
  %3 = alloca double, align 8
  %4 = alloca double, align 8
  store double %0, ptr %3, align 8
  store double %1, ptr %4, align 8
  %5 = load double, ptr %3, align 8
  %6 = load double, ptr %4, align 8
  %7 = fneg double %6
  %8 = fcmp ogt double %5, %7
  br i1 %8, label %9, label %16

9:                                                ; preds = %2
  %10 = load double, ptr %3, align 8
  %11 = load double, ptr %4, align 8
  %12 = fcmp olt double %10, %11
  br i1 %12, label %13, label %16

13:                                               ; preds = %9
  %14 = load double, ptr %3, align 8
  %15 = fptoui double %14 to i64
  br label %17

16:                                               ; preds = %9, %2
  br label %17

17:                                               ; preds = %16, %13
  %18 = phi i64 [ %15, %13 ], [ 1, %16 ]
  ret i64 %18
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef signext i16 @_Z4restIsET_S0_S0_(i16 noundef signext %0, i16 noundef signext %1) #0 comdat {
  %3 = alloca i16, align 2
  %4 = alloca i16, align 2
  store i16 %0, ptr %3, align 2
  store i16 %1, ptr %4, align 2
  %5 = load i16, ptr %4, align 2
  %6 = sext i16 %5 to i32
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %12, label %8

8:                                                ; preds = %2
  %9 = load i16, ptr %4, align 2
  %10 = sext i16 %9 to i32
  %11 = icmp eq i32 %10, -1
  br i1 %11, label %12, label %15

12:                                               ; preds = %8, %2
  %13 = load i16, ptr %4, align 2
  %14 = sext i16 %13 to i32
  br label %21

15:                                               ; preds = %8
  %16 = load i16, ptr %3, align 2
  %17 = sext i16 %16 to i32
  %18 = load i16, ptr %4, align 2
  %19 = sext i16 %18 to i32
  %20 = srem i32 %17, %19
  br label %21

21:                                               ; preds = %15, %12
  %22 = phi i32 [ %14, %12 ], [ %20, %15 ]
  %23 = trunc i32 %22 to i16
  ret i16 %23
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare { i32, i1 } @llvm.uadd.with.overflow.i32(i32, i32) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare { i8, i1 } @llvm.umul.with.overflow.i8(i8, i8) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.ctpop.i64(i64) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare { i32, i1 } @llvm.usub.with.overflow.i32(i32, i32) #2

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i32 @_Z4restIjET_S0_S0_(i32 noundef %0, i32 noundef %1) #0 comdat {
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  store i32 %0, ptr %3, align 4
  store i32 %1, ptr %4, align 4
  %5 = load i32, ptr %4, align 4
  %6 = icmp eq i32 %5, 0
  br i1 %6, label %10, label %7

7:                                                ; preds = %2
  %8 = load i32, ptr %4, align 4
  %9 = icmp eq i32 %8, -1
  br i1 %9, label %10, label %12

10:                                               ; preds = %7, %2
  %11 = load i32, ptr %4, align 4
  br label %16

12:                                               ; preds = %7
  %13 = load i32, ptr %3, align 4
  %14 = load i32, ptr %4, align 4
  %15 = urem i32 %13, %14
  br label %16

16:                                               ; preds = %12, %10
  %17 = phi i32 [ %11, %10 ], [ %15, %12 ]
  ret i32 %17
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i64 @_Z6numberItEyT_(i16 noundef zeroext %0) #0 comdat {
  %2 = alloca i16, align 2
  store i16 %0, ptr %2, align 2
  %3 = load i16, ptr %2, align 2
  %4 = zext i16 %3 to i64
  ret i64 %4
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i64 @_Z6numberIjEyT_(i32 noundef %0) #0 comdat {
  %2 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
  %3 = load i32, ptr %2, align 4
  %4 = zext i32 %3 to i64
  ret i64 %4
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i64 @_Z6numberIiEyT_(i32 noundef %0) #0 comdat {
  %2 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
  %3 = load i32, ptr %2, align 4
  %4 = sext i32 %3 to i64
  ret i64 %4
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i64 @_Z6numberIoEyT_(i128 noundef %0) #0 comdat {
  %2 = alloca i128, align 16
  store i128 %0, ptr %2, align 16
  %3 = load i128, ptr %2, align 16
  %4 = trunc i128 %3 to i64
  %5 = load i128, ptr %2, align 16
  %6 = lshr i128 %5, 64
  %7 = trunc i128 %6 to i64
  %8 = xor i64 %4, %7
  ret i64 %8
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i64 @_Z6numberIyEyT_(i64 noundef %0) #0 comdat {
  %2 = alloca i64, align 8
  store i64 %0, ptr %2, align 8
  %3 = load i64, ptr %2, align 8
  ret i64 %3
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i64 @_Z6numberIaEyT_(i8 noundef signext %0) #0 comdat {
  %2 = alloca i8, align 1
  store i8 %0, ptr %2, align 1
  %3 = load i8, ptr %2, align 1
  %4 = sext i8 %3 to i64
  ret i64 %4
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare { i8, i1 } @llvm.smul.with.overflow.i8(i8, i8) #2

attributes #0 = { convergent mustprogress noinline nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" }
attributes #1 = { convergent mustprogress noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" "uniform-work-group-size"="true" }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent nounwind }

!nvvm.annotations = !{!0}
!llvm.module.flags = !{!1, !2, !3}
!llvm.ident = !{!4}

!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!5 = distinct !{!5, !6}
!6 = !{!"llvm.loop.mustprogress"}
!7 = distinct !{!7, !6}
!8 = distinct !{!8, !6}
!9 = distinct !{!9, !6}
!10 = distinct !{!10, !6}
