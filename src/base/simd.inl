// The three implementations of base/simd.h, one after the other: wasm128, SSE2, scalar.
// Included by simd.h only.
//
// Every operation is one IEEE operation a lane, rounded to nearest, so the bits agree. The exception is the
// payload and the sign of a NaN that an operation makes, which WebAssembly leaves open; min, max, masks,
// selections, negation and moves treat a NaN as bits and agree for it too. A mask is all ones or all zeros in
// a lane; cnAnyTrue4 and cnMoveMask4 take masks only.

#if defined(__FAST_MATH__)
#error "Cairn promises equal bits in every build: compile it without -ffast-math"
#endif

#if defined(CN_SIMD_WASM)

static inline cnF4 cnLoad4(const float* source) {
    return wasm_v128_load(source);
}

static inline void cnStore4(float* target, cnF4 a) {
    wasm_v128_store(target, a);
}

static inline cnF4 cnLoadBytes4(const uint8_t* source) {
    return wasm_f32x4_convert_u32x4(
        wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(source))));
}

static inline cnF4 cnSplat4(float a) {
    return wasm_f32x4_splat(a);
}

static inline cnF4 cnSet4(float a, float b, float c, float d) {
    return wasm_f32x4_make(a, b, c, d);
}

static inline cnF4 cnZero4(void) {
    return wasm_f32x4_const_splat(0.0f);
}

static inline cnF4 cnAdd4(cnF4 a, cnF4 b) {
    return wasm_f32x4_add(a, b);
}

static inline cnF4 cnSub4(cnF4 a, cnF4 b) {
    return wasm_f32x4_sub(a, b);
}

static inline cnF4 cnMul4(cnF4 a, cnF4 b) {
    return wasm_f32x4_mul(a, b);
}

static inline cnF4 cnDiv4(cnF4 a, cnF4 b) {
    return wasm_f32x4_div(a, b);
}

static inline cnF4 cnSqrt4(cnF4 a) {
    return wasm_f32x4_sqrt(a);
}

// pmin(x, y) is y < x ? y : x and pmax(x, y) is x < y ? y : x, hence the swapped operands.
static inline cnF4 cnMin4(cnF4 a, cnF4 b) {
    return wasm_f32x4_pmin(b, a);
}

static inline cnF4 cnMax4(cnF4 a, cnF4 b) {
    return wasm_f32x4_pmax(b, a);
}

static inline cnF4 cnNeg4(cnF4 a) {
    return wasm_f32x4_neg(a);
}

static inline cnF4 cnAbs4(cnF4 a) {
    return wasm_f32x4_abs(a);
}

static inline cnF4 cnLess4(cnF4 a, cnF4 b) {
    return wasm_f32x4_lt(a, b);
}

static inline cnF4 cnLessEqual4(cnF4 a, cnF4 b) {
    return wasm_f32x4_le(a, b);
}

static inline cnF4 cnGreater4(cnF4 a, cnF4 b) {
    return wasm_f32x4_gt(a, b);
}

static inline cnF4 cnEqual4(cnF4 a, cnF4 b) {
    return wasm_f32x4_eq(a, b);
}

static inline cnF4 cnAnd4(cnF4 a, cnF4 b) {
    return wasm_v128_and(a, b);
}

static inline cnF4 cnOr4(cnF4 a, cnF4 b) {
    return wasm_v128_or(a, b);
}

static inline cnF4 cnAndNot4(cnF4 a, cnF4 b) {
    return wasm_v128_andnot(a, b);
}

static inline cnF4 cnSelect4(cnF4 mask, cnF4 ifTrue, cnF4 ifFalse) {
    return wasm_v128_bitselect(ifTrue, ifFalse, mask);
}

static inline int cnAnyTrue4(cnF4 mask) {
    return wasm_v128_any_true(mask) ? 1 : 0;
}

static inline int cnMoveMask4(cnF4 mask) {
    return (int)wasm_i32x4_bitmask(mask);
}

static inline void cnTranspose4(cnF4* a, cnF4* b, cnF4* c, cnF4* d) {
    cnF4 lowAB = wasm_i32x4_shuffle(*a, *b, 0, 4, 1, 5);
    cnF4 highAB = wasm_i32x4_shuffle(*a, *b, 2, 6, 3, 7);
    cnF4 lowCD = wasm_i32x4_shuffle(*c, *d, 0, 4, 1, 5);
    cnF4 highCD = wasm_i32x4_shuffle(*c, *d, 2, 6, 3, 7);
    *a = wasm_i64x2_shuffle(lowAB, lowCD, 0, 2);
    *b = wasm_i64x2_shuffle(lowAB, lowCD, 1, 3);
    *c = wasm_i64x2_shuffle(highAB, highCD, 0, 2);
    *d = wasm_i64x2_shuffle(highAB, highCD, 1, 3);
}

static inline float cnGetLane4(cnF4 a, const int lane) {
    switch (lane) {
    case 0:
        return wasm_f32x4_extract_lane(a, 0);
    case 1:
        return wasm_f32x4_extract_lane(a, 1);
    case 2:
        return wasm_f32x4_extract_lane(a, 2);
    default:
        return wasm_f32x4_extract_lane(a, 3);
    }
}

static inline cnD2 cnLoadD(const double* source) {
    return wasm_v128_load(source);
}

static inline void cnStoreD(double* target, cnD2 a) {
    wasm_v128_store(target, a);
}

static inline cnD2 cnSplatD(double a) {
    return wasm_f64x2_splat(a);
}

static inline cnD2 cnAddD(cnD2 a, cnD2 b) {
    return wasm_f64x2_add(a, b);
}

static inline cnD2 cnSubD(cnD2 a, cnD2 b) {
    return wasm_f64x2_sub(a, b);
}

static inline cnD2 cnMulD(cnD2 a, cnD2 b) {
    return wasm_f64x2_mul(a, b);
}

static inline cnD2 cnDivD(cnD2 a, cnD2 b) {
    return wasm_f64x2_div(a, b);
}

static inline cnD2 cnSqrtD(cnD2 a) {
    return wasm_f64x2_sqrt(a);
}

static inline cnD2 cnMaxD(cnD2 a, cnD2 b) {
    return wasm_f64x2_pmax(b, a);
}

static inline cnD2 cnLowD(cnD2 a, cnD2 b) {
    return wasm_i64x2_shuffle(a, b, 0, 2);
}

static inline cnD2 cnHighD(cnD2 a, cnD2 b) {
    return wasm_i64x2_shuffle(a, b, 1, 3);
}

static inline double cnFirstD(cnD2 a) {
    return wasm_f64x2_extract_lane(a, 0);
}

static inline cnD2 cnAbsD(cnD2 a) {
    return wasm_f64x2_abs(a);
}

static inline double cnSumD(cnD2 a) {
    return wasm_f64x2_extract_lane(a, 0) + wasm_f64x2_extract_lane(a, 1);
}

#elif defined(CN_SIMD_SSE2)

static inline cnF4 cnLoad4(const float* source) {
    return _mm_loadu_ps(source);
}

static inline void cnStore4(float* target, cnF4 a) {
    _mm_storeu_ps(target, a);
}

static inline cnF4 cnLoadBytes4(const uint8_t* source) {
    int32_t bytes;
    memcpy(&bytes, source, sizeof bytes);
    __m128i words = _mm_unpacklo_epi8(_mm_cvtsi32_si128(bytes), _mm_setzero_si128());
    return _mm_cvtepi32_ps(_mm_unpacklo_epi16(words, _mm_setzero_si128()));
}

static inline cnF4 cnSplat4(float a) {
    return _mm_set1_ps(a);
}

static inline cnF4 cnSet4(float a, float b, float c, float d) {
    return _mm_setr_ps(a, b, c, d);
}

static inline cnF4 cnZero4(void) {
    return _mm_setzero_ps();
}

static inline cnF4 cnAdd4(cnF4 a, cnF4 b) {
    return _mm_add_ps(a, b);
}

static inline cnF4 cnSub4(cnF4 a, cnF4 b) {
    return _mm_sub_ps(a, b);
}

static inline cnF4 cnMul4(cnF4 a, cnF4 b) {
    return _mm_mul_ps(a, b);
}

static inline cnF4 cnDiv4(cnF4 a, cnF4 b) {
    return _mm_div_ps(a, b);
}

static inline cnF4 cnSqrt4(cnF4 a) {
    return _mm_sqrt_ps(a);
}

// minps and maxps give their second operand for NaN and for two zeros.
static inline cnF4 cnMin4(cnF4 a, cnF4 b) {
    return _mm_min_ps(a, b);
}

static inline cnF4 cnMax4(cnF4 a, cnF4 b) {
    return _mm_max_ps(a, b);
}

static inline cnF4 cnNeg4(cnF4 a) {
    return _mm_xor_ps(a, _mm_set1_ps(-0.0f));
}

static inline cnF4 cnAbs4(cnF4 a) {
    return _mm_andnot_ps(_mm_set1_ps(-0.0f), a);
}

static inline cnF4 cnLess4(cnF4 a, cnF4 b) {
    return _mm_cmplt_ps(a, b);
}

static inline cnF4 cnLessEqual4(cnF4 a, cnF4 b) {
    return _mm_cmple_ps(a, b);
}

static inline cnF4 cnGreater4(cnF4 a, cnF4 b) {
    return _mm_cmpgt_ps(a, b);
}

static inline cnF4 cnEqual4(cnF4 a, cnF4 b) {
    return _mm_cmpeq_ps(a, b);
}

static inline cnF4 cnAnd4(cnF4 a, cnF4 b) {
    return _mm_and_ps(a, b);
}

static inline cnF4 cnOr4(cnF4 a, cnF4 b) {
    return _mm_or_ps(a, b);
}

// The instruction inverts its first operand.
static inline cnF4 cnAndNot4(cnF4 a, cnF4 b) {
    return _mm_andnot_ps(b, a);
}

static inline cnF4 cnSelect4(cnF4 mask, cnF4 ifTrue, cnF4 ifFalse) {
    return _mm_or_ps(_mm_and_ps(mask, ifTrue), _mm_andnot_ps(mask, ifFalse));
}

static inline int cnAnyTrue4(cnF4 mask) {
    return _mm_movemask_ps(mask) != 0;
}

static inline int cnMoveMask4(cnF4 mask) {
    return _mm_movemask_ps(mask);
}

static inline void cnTranspose4(cnF4* a, cnF4* b, cnF4* c, cnF4* d) {
    _MM_TRANSPOSE4_PS(*a, *b, *c, *d);
}

static inline float cnGetLane4(cnF4 a, const int lane) {
    switch (lane) {
    case 0:
        return _mm_cvtss_f32(a);
    case 1:
        return _mm_cvtss_f32(_mm_shuffle_ps(a, a, 1));
    case 2:
        return _mm_cvtss_f32(_mm_shuffle_ps(a, a, 2));
    default:
        return _mm_cvtss_f32(_mm_shuffle_ps(a, a, 3));
    }
}

static inline cnD2 cnLoadD(const double* source) {
    return _mm_loadu_pd(source);
}

static inline void cnStoreD(double* target, cnD2 a) {
    _mm_storeu_pd(target, a);
}

static inline cnD2 cnSplatD(double a) {
    return _mm_set1_pd(a);
}

static inline cnD2 cnAddD(cnD2 a, cnD2 b) {
    return _mm_add_pd(a, b);
}

static inline cnD2 cnSubD(cnD2 a, cnD2 b) {
    return _mm_sub_pd(a, b);
}

static inline cnD2 cnMulD(cnD2 a, cnD2 b) {
    return _mm_mul_pd(a, b);
}

static inline cnD2 cnDivD(cnD2 a, cnD2 b) {
    return _mm_div_pd(a, b);
}

static inline cnD2 cnSqrtD(cnD2 a) {
    return _mm_sqrt_pd(a);
}

static inline cnD2 cnMaxD(cnD2 a, cnD2 b) {
    return _mm_max_pd(a, b);
}

static inline cnD2 cnLowD(cnD2 a, cnD2 b) {
    return _mm_unpacklo_pd(a, b);
}

static inline cnD2 cnHighD(cnD2 a, cnD2 b) {
    return _mm_unpackhi_pd(a, b);
}

static inline double cnFirstD(cnD2 a) {
    return _mm_cvtsd_f64(a);
}

static inline cnD2 cnAbsD(cnD2 a) {
    return _mm_andnot_pd(_mm_set1_pd(-0.0), a);
}

static inline double cnSumD(cnD2 a) {
    return _mm_cvtsd_f64(a) + _mm_cvtsd_f64(_mm_unpackhi_pd(a, a));
}

#else

static inline uint32_t cnLaneBits(float lane) {
    uint32_t bits;
    memcpy(&bits, &lane, sizeof bits);
    return bits;
}

static inline float cnLaneFromBits(uint32_t bits) {
    float lane;
    memcpy(&lane, &bits, sizeof lane);
    return lane;
}

static inline float cnLaneMask(int isTrue) {
    return cnLaneFromBits(isTrue ? 0xffffffffu : 0u);
}

static inline cnF4 cnLoad4(const float* source) {
    cnF4 a;
    memcpy(&a, source, sizeof a);
    return a;
}

static inline void cnStore4(float* target, cnF4 a) {
    memcpy(target, &a, sizeof a);
}

static inline cnF4 cnSet4(float a, float b, float c, float d) {
    return (cnF4){{a, b, c, d}};
}

static inline cnF4 cnLoadBytes4(const uint8_t* source) {
    return cnSet4(source[0], source[1], source[2], source[3]);
}

static inline cnF4 cnSplat4(float a) {
    return cnSet4(a, a, a, a);
}

static inline cnF4 cnZero4(void) {
    return cnSplat4(0.0f);
}

// One lane-wise function of two operands x and y.
#define CN_LANES4(name, expression)                                                                          \
    static inline cnF4 name(cnF4 a, cnF4 b) {                                                                \
        cnF4 result;                                                                                         \
        for (int lane = 0; lane < 4; ++lane) {                                                               \
            float x = a.lane[lane];                                                                          \
            float y = b.lane[lane];                                                                          \
            result.lane[lane] = (expression);                                                                \
        }                                                                                                    \
        return result;                                                                                       \
    }

CN_LANES4(cnAdd4, x + y)
CN_LANES4(cnSub4, x - y)
CN_LANES4(cnMul4, x* y)
CN_LANES4(cnDiv4, x / y)
CN_LANES4(cnMin4, x < y ? x : y)
CN_LANES4(cnMax4, x > y ? x : y)
CN_LANES4(cnLess4, cnLaneMask(x < y))
CN_LANES4(cnLessEqual4, cnLaneMask(x <= y))
CN_LANES4(cnGreater4, cnLaneMask(x > y))
CN_LANES4(cnEqual4, cnLaneMask(x == y))
CN_LANES4(cnAnd4, cnLaneFromBits(cnLaneBits(x) & cnLaneBits(y)))
CN_LANES4(cnOr4, cnLaneFromBits(cnLaneBits(x) | cnLaneBits(y)))
CN_LANES4(cnAndNot4, cnLaneFromBits(cnLaneBits(x) & ~cnLaneBits(y)))

#undef CN_LANES4

static inline cnF4 cnSqrt4(cnF4 a) {
    return cnSet4(sqrtf(a.lane[0]), sqrtf(a.lane[1]), sqrtf(a.lane[2]), sqrtf(a.lane[3]));
}

static inline cnF4 cnNeg4(cnF4 a) {
    for (int lane = 0; lane < 4; ++lane) {
        a.lane[lane] = cnLaneFromBits(cnLaneBits(a.lane[lane]) ^ 0x80000000u);
    }
    return a;
}

static inline cnF4 cnAbs4(cnF4 a) {
    for (int lane = 0; lane < 4; ++lane) {
        a.lane[lane] = cnLaneFromBits(cnLaneBits(a.lane[lane]) & 0x7fffffffu);
    }
    return a;
}

static inline cnF4 cnSelect4(cnF4 mask, cnF4 ifTrue, cnF4 ifFalse) {
    return cnOr4(cnAnd4(ifTrue, mask), cnAndNot4(ifFalse, mask));
}

static inline int cnMoveMask4(cnF4 mask) {
    int bits = 0;
    for (int lane = 0; lane < 4; ++lane) {
        bits |= (int)(cnLaneBits(mask.lane[lane]) >> 31) << lane;
    }
    return bits;
}

static inline int cnAnyTrue4(cnF4 mask) {
    return cnMoveMask4(mask) != 0;
}

static inline void cnTranspose4(cnF4* a, cnF4* b, cnF4* c, cnF4* d) {
    cnF4 rows[4] = {*a, *b, *c, *d};
    cnF4* columns[4] = {a, b, c, d};
    for (int lane = 0; lane < 4; ++lane) {
        *columns[lane] =
            cnSet4(rows[0].lane[lane], rows[1].lane[lane], rows[2].lane[lane], rows[3].lane[lane]);
    }
}

static inline float cnGetLane4(cnF4 a, const int lane) {
    return a.lane[lane];
}

static inline cnD2 cnLoadD(const double* source) {
    return (cnD2){{source[0], source[1]}};
}

static inline void cnStoreD(double* target, cnD2 a) {
    target[0] = a.lane[0];
    target[1] = a.lane[1];
}

static inline cnD2 cnSplatD(double a) {
    return (cnD2){{a, a}};
}

static inline cnD2 cnAddD(cnD2 a, cnD2 b) {
    return (cnD2){{a.lane[0] + b.lane[0], a.lane[1] + b.lane[1]}};
}

static inline cnD2 cnSubD(cnD2 a, cnD2 b) {
    return (cnD2){{a.lane[0] - b.lane[0], a.lane[1] - b.lane[1]}};
}

static inline cnD2 cnMulD(cnD2 a, cnD2 b) {
    return (cnD2){{a.lane[0] * b.lane[0], a.lane[1] * b.lane[1]}};
}

static inline cnD2 cnDivD(cnD2 a, cnD2 b) {
    return (cnD2){{a.lane[0] / b.lane[0], a.lane[1] / b.lane[1]}};
}

static inline cnD2 cnSqrtD(cnD2 a) {
    return (cnD2){{sqrt(a.lane[0]), sqrt(a.lane[1])}};
}

static inline cnD2 cnMaxD(cnD2 a, cnD2 b) {
    return (cnD2){
        {a.lane[0] > b.lane[0] ? a.lane[0] : b.lane[0], a.lane[1] > b.lane[1] ? a.lane[1] : b.lane[1]}};
}

static inline cnD2 cnLowD(cnD2 a, cnD2 b) {
    return (cnD2){{a.lane[0], b.lane[0]}};
}

static inline cnD2 cnHighD(cnD2 a, cnD2 b) {
    return (cnD2){{a.lane[1], b.lane[1]}};
}

static inline double cnFirstD(cnD2 a) {
    return a.lane[0];
}

static inline cnD2 cnAbsD(cnD2 a) {
    return (cnD2){{fabs(a.lane[0]), fabs(a.lane[1])}};
}

static inline double cnSumD(cnD2 a) {
    return a.lane[0] + a.lane[1];
}

#endif

// a + b c and a − b c, the product rounded first; the same in all three.

static inline cnF4 cnMulAdd4(cnF4 a, cnF4 b, cnF4 c) {
    return cnAdd4(a, cnMul4(b, c));
}

static inline cnF4 cnMulSub4(cnF4 a, cnF4 b, cnF4 c) {
    return cnSub4(a, cnMul4(b, c));
}

static inline cnD2 cnMulAddD(cnD2 a, cnD2 b, cnD2 c) {
    return cnAddD(a, cnMulD(b, c));
}

static inline cnD2 cnMulSubD(cnD2 a, cnD2 b, cnD2 c) {
    return cnSubD(a, cnMulD(b, c));
}
