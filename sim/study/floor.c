/* The floor of the benchmark: the step of the heap of the thesis, written by hand for this one case.
 *
 * Discs in the plane that do not rotate, Hertz repulsion, a friction spring limited to mu F_n, leap-frog or Gear-5, one
 * thread, float64. The engine steps any law, integrator and dimension; its time per grain and step is compared with the
 * time of this program for the same state (sim/study/floor.py builds, feeds and runs it). What makes it fast:
 *   - data of a pair stay in the order in which the law reads them from one neighbour list to the next;
 *   - eight pairs are evaluated at once, from rows {x, y, v_x, v_y} of 32 bytes that are transposed in registers;
 *   - corrector and next predictor are one pass, and derivatives are scaled by dt^n/n!, so that no power of dt is left;
 *   - candidates are compared eight at a time, in the order of cells.
 * With AVX-512 by intrinsics, elsewhere in plain C.
 *
 * The shear stretch is the sum of the tangential displacements of all steps (the engine: the displacement since the
 * first touch, projected on the tangent), equal to the first order in the rotation of the pair.
 *
 * Arguments: file of the state, and optionally a file for positions and velocities at the end. Both hold float64 only.
 * Prints the wall time per moving sphere and step [ns].
 */
#define _POSIX_C_SOURCE 200112L /* clock_gettime and posix_memalign */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

enum { LEVELS = 6, WIDTH = 8, REMEMBERED = 8 };
/* derivatives of Gear-5; pairs evaluated at once; contacts of a sphere with spheres of higher index that are kept
 * while a list is made (a disc touches at most seven others of nearly its size) */

static struct {
    double moving, spheres, contacts, gear;  /* numbers of spheres and contacts; 1 for Gear-5, 0 for leap-frog */
    double dt;                               /* [s] */
    double gravity_x, gravity_y;             /* [m/s^2] */
    double normal_stiffness;                 /* [N/m^1.5] */
    double wall_stiffness_factor;            /* for pairs with a fixed sphere [-] */
    double shear_stiffness;                  /* [N/m] */
    double normal_damping, shear_damping;    /* force gamma m* v [1/s] */
    double friction;                         /* [-] */
    double skin;                             /* [m] */
    double warm_up, steps;                   /* steps that are not timed, steps that are */
} state;

static int moving, spheres; /* moving spheres come first */
static double *X[LEVELS], *Y[LEVELS]; /* x, v dt, a dt^2/2, ... [m] */
static double *radius, *mass;         /* [m], [kg] */
static double *half_dt2_per_mass;     /* dt^2 / (2 m) [s^2/kg] */
static double *row;                   /* {x, y, v_x dt, v_y dt} of each sphere [m] */
static double *force;                 /* {F_x, F_y} of each sphere, without weight [N] */
static double *x_at_list, *y_at_list; /* positions when the neighbour list was made [m] */
static double farthest_squared;       /* largest squared displacement since then [m^2] */

static int pairs, capacity;    /* pairs in the neighbour list, and places for them */
static int *pair_i, *pair_j;   /* sorted by the cell of i */
static int *first_pair;        /* of each sphere in the order of cells */
static double *stretch;        /* of the friction spring, 0 where the pair does not touch [m] */
static double *radius_sum;     /* [m] */
static double *effective_mass; /* [kg] */
static double *stiffness;      /* [N/m^1.5] */
static double *pair_force;     /* {F_x, F_y} on i [N] */

static void *table(size_t count, size_t size) {
    void *memory = NULL;
    size_t bytes = (count * size + 127) / 64 * 64;
    if (posix_memalign(&memory, 64, bytes)) exit(3);
    return memset(memory, 0, bytes);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

static void fill_row(int i) {
    row[4 * i] = X[0][i], row[4 * i + 1] = Y[0][i], row[4 * i + 2] = X[1][i], row[4 * i + 3] = Y[1][i];
}

/* ---- Neighbour list ---------------------------------------------------------------------------------------------- */

static int *cell_of, *in_cell_order, *cell_begin, cell_capacity;
static double *x_sorted, *y_sorted, *radius_sorted;
static int *remembered_count, *remembered_partner;
static double *remembered_stretch;

static void remember_stretches(void) {
    memset(remembered_count, 0, sizeof(int) * spheres);
    memset(remembered_partner, 0xff, sizeof(int) * spheres * REMEMBERED);
    for (int p = 0; p < pairs; p++) {
        int i = pair_i[p], j = pair_j[p], low = i < j ? i : j, high = i < j ? j : i;
        int n = remembered_count[low] < REMEMBERED ? remembered_count[low] : REMEMBERED - 1;
        int kept = stretch[p] != 0.0; /* always written, counted if kept: no branch to mispredict */
        remembered_partner[low * REMEMBERED + n] = kept ? high : -1;
        remembered_stretch[low * REMEMBERED + n] = stretch[p];
        remembered_count[low] = n + kept;
    }
}

static void sort_into_cells(int *columns) {
    double left = 1e300, right = -1e300, bottom = 1e300, top = -1e300, largest = 0.0;
    for (int i = 0; i < spheres; i++) {
        left = fmin(left, X[0][i]), right = fmax(right, X[0][i]);
        bottom = fmin(bottom, Y[0][i]), top = fmax(top, Y[0][i]);
        largest = fmax(largest, radius[i]);
    }
    double side = 2.0 * largest + state.skin;
    int across, up;
    for (;;) { /* one empty cell all round; wider cells where a few spheres are far away */
        across = (int)((right - left) / side) + 3, up = (int)((top - bottom) / side) + 3;
        if ((double)across * up < 8.0 * spheres + 1000.0) break;
        side *= 1.3;
    }
    int cells = across * up + 2;
    if (cells > cell_capacity) {
        cell_capacity = 2 * cells;
        free(cell_begin);
        cell_begin = table(cell_capacity + 2, sizeof(int));
    }
    memset(cell_begin, 0, sizeof(int) * (cells + 2));
    for (int i = 0; i < spheres; i++) {
        int a = (int)((X[0][i] - left) / side) + 1, b = (int)((Y[0][i] - bottom) / side) + 1;
        cell_of[i] = b * across + a;
        cell_begin[cell_of[i] + 1]++;
    }
    for (int c = 0; c < cells; c++) cell_begin[c + 1] += cell_begin[c];
    for (int i = spheres - 1; i >= 0; i--) { /* afterwards entry c + 1 is the begin of cell c */
        int place = --cell_begin[cell_of[i] + 1];
        in_cell_order[place] = i;
        x_sorted[place] = X[0][i], y_sorted[place] = Y[0][i], radius_sorted[place] = radius[i];
    }
    *columns = across;
}

/* Append the pairs of the sphere at place p with those at places `from` to `to` - 1 that are near; return their end. */
static int near_ones(int p, int from, int to, int end) {
    int i = in_cell_order[p];
#ifdef __AVX512F__
    const __m512d x = _mm512_set1_pd(x_sorted[p]), y = _mm512_set1_pd(y_sorted[p]);
    const __m512d r = _mm512_set1_pd(radius_sorted[p]), skin = _mm512_set1_pd(state.skin);
    const __m256i itself = _mm256_set1_epi32(i), partners = _mm256_set1_epi32(i < moving ? spheres : moving);
    for (int k = from; k < to; k += WIDTH) {
        __mmask8 used = to - k >= WIDTH ? 0xff : (1u << (to - k)) - 1;
        __m512d lx = _mm512_sub_pd(_mm512_loadu_pd(x_sorted + k), x);
        __m512d ly = _mm512_sub_pd(_mm512_loadu_pd(y_sorted + k), y);
        __m512d sum = _mm512_add_pd(_mm512_loadu_pd(radius_sorted + k), r), reach = _mm512_add_pd(sum, skin);
        __m256i j = _mm256_loadu_si256((void *)(in_cell_order + k));
        __m512d square = _mm512_fmadd_pd(lx, lx, _mm512_mul_pd(ly, ly));
        __mmask8 near = _mm512_mask_cmp_pd_mask(used, square, _mm512_mul_pd(reach, reach), _CMP_LT_OQ);
        near &= _mm256_cmplt_epi32_mask(j, partners); /* no pairs of two fixed spheres */
        _mm256_storeu_si256((void *)(pair_i + end), itself);
        _mm256_storeu_si256((void *)(pair_j + end), _mm256_maskz_compress_epi32(near, j));
        _mm512_storeu_pd(radius_sum + end, _mm512_maskz_compress_pd(near, sum));
        end += __builtin_popcount(near);
    }
#else
    int partners = i < moving ? spheres : moving; /* no pairs of two fixed spheres */
    for (int k = from; k < to; k++) {             /* always written, counted if near: no branch to mispredict */
        double lx = x_sorted[k] - x_sorted[p], ly = y_sorted[k] - y_sorted[p];
        double sum = radius_sorted[k] + radius_sorted[p], reach = sum + state.skin;
        pair_i[end] = i, pair_j[end] = in_cell_order[k], radius_sum[end] = sum;
        end += (lx * lx + ly * ly < reach * reach) & (in_cell_order[k] < partners);
    }
#endif
    return end;
}

static void make_list(void) {
    int columns;
    remember_stretches();
    sort_into_cells(&columns);
    const int *begin = cell_begin + 1;
    int end = 0;
    for (int p = 0; p < spheres; p++) {
        int cell = cell_of[in_cell_order[p]];
        first_pair[p] = end;
        end = near_ones(p, p + 1, begin[cell + 2], end); /* the rest of its cell and the next cell */
        end = near_ones(p, begin[cell + columns - 1], begin[cell + columns + 2], end); /* three cells above */
        if (end + 64 > capacity) {
            fprintf(stderr, "The neighbour list has more than %d pairs.\n", capacity);
            exit(4);
        }
    }
    first_pair[spheres] = pairs = end;
    for (int p = 0; p < pairs; p++) {
        int i = pair_i[p], j = pair_j[p], low = i < j ? i : j, high = i < j ? j : i, fixed = high >= moving;
        effective_mass[p] = mass[i] * mass[j] / (mass[i] + mass[j]);
        stiffness[p] = state.normal_stiffness * (fixed ? state.wall_stiffness_factor : 1.0);
        double found = 0.0;
        const int *partner = remembered_partner + low * REMEMBERED;
        for (int k = 0; k < REMEMBERED; k++)
            found = partner[k] == high ? remembered_stretch[low * REMEMBERED + k] : found;
        stretch[p] = found;
    }
    for (int p = pairs; p < pairs + WIDTH; p++) { /* up to a whole register: spheres far apart */
        pair_i[p] = spheres, pair_j[p] = spheres + 1;
        stretch[p] = effective_mass[p] = stiffness[p] = 0.0, radius_sum[p] = 1e-9;
    }
    for (int i = 0; i < moving; i++) x_at_list[i] = X[0][i], y_at_list[i] = Y[0][i];
}

/* ---- Forces: n points from j to i, the tangent is (n_y, -n_x) ------------------------------------------------------ */

#ifdef __AVX512F__
static inline __m512d inverse_root(__m512d a) { /* estimate and two Newton steps: all digits but the last */
    const __m512d half = _mm512_mul_pd(a, _mm512_set1_pd(0.5)), three_halves = _mm512_set1_pd(1.5);
    __m512d y = _mm512_rsqrt14_pd(a);
    y = _mm512_mul_pd(y, _mm512_fnmadd_pd(_mm512_mul_pd(half, y), y, three_halves));
    return _mm512_mul_pd(y, _mm512_fnmadd_pd(_mm512_mul_pd(half, y), y, three_halves));
}

static inline __m256d difference(int p) { /* of the rows of i and j */
    return _mm256_sub_pd(_mm256_load_pd(row + 4 * pair_i[p]), _mm256_load_pd(row + 4 * pair_j[p]));
}

static inline __m512d two(int p, int q) {
    return _mm512_insertf64x4(_mm512_castpd256_pd512(difference(p)), difference(q), 1);
}

static void evaluate_pairs(void) {
    const __m512d zero = _mm512_setzero_pd(), tiny = _mm512_set1_pd(1e-30), mu = _mm512_set1_pd(state.friction);
    const __m512d normal_damping = _mm512_set1_pd(state.normal_damping / state.dt);
    const __m512d shear_damping = _mm512_set1_pd(state.shear_damping / state.dt);
    const __m512d k_s = _mm512_set1_pd(state.shear_stiffness);
    const __m512i low = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0), high = _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
    for (int p = 0; p < pairs; p += WIDTH) {
        __m512d a = two(p, p + 2), b = two(p + 1, p + 3), c = two(p + 4, p + 6), d = two(p + 5, p + 7);
        __m512d ab = _mm512_unpacklo_pd(a, b), AB = _mm512_unpackhi_pd(a, b);
        __m512d cd = _mm512_unpacklo_pd(c, d), CD = _mm512_unpackhi_pd(c, d);
        __m512d lx = _mm512_shuffle_f64x2(ab, cd, 0x88), ly = _mm512_shuffle_f64x2(AB, CD, 0x88);
        __m512d ux = _mm512_shuffle_f64x2(ab, cd, 0xdd), uy = _mm512_shuffle_f64x2(AB, CD, 0xdd);
        __m512d sum = _mm512_load_pd(radius_sum + p), m = _mm512_load_pd(effective_mass + p);
        __m512d square = _mm512_fmadd_pd(lx, lx, _mm512_mul_pd(ly, ly));
        __mmask8 touching = _mm512_cmp_pd_mask(square, _mm512_mul_pd(sum, sum), _CMP_LT_OQ);
        __m512d inverse = inverse_root(square), nx = _mm512_mul_pd(lx, inverse), ny = _mm512_mul_pd(ly, inverse);
        __m512d overlap = _mm512_maskz_sub_pd(touching, sum, _mm512_mul_pd(square, inverse));
        __m512d u_n = _mm512_fmadd_pd(ux, nx, _mm512_mul_pd(uy, ny));
        __m512d u_t = _mm512_fmsub_pd(ux, ny, _mm512_mul_pd(uy, nx));
        __m512d root = _mm512_mul_pd(overlap, inverse_root(_mm512_max_pd(overlap, tiny)));
        __m512d repulsion = _mm512_mul_pd(_mm512_mul_pd(_mm512_load_pd(stiffness + p), overlap), root);
        __m512d normal = _mm512_fnmadd_pd(_mm512_mul_pd(normal_damping, m), u_n, repulsion);
        __m512d limit = _mm512_mul_pd(mu, _mm512_max_pd(normal, zero));
        __m512d xi = _mm512_maskz_add_pd(touching, _mm512_load_pd(stretch + p), u_t);
        __m512d spring = _mm512_mul_pd(k_s, xi);
        spring = _mm512_max_pd(_mm512_min_pd(spring, limit), _mm512_sub_pd(zero, limit));
        __m512d shear = _mm512_fmadd_pd(_mm512_mul_pd(shear_damping, m), u_t, spring); /* against the tangent */
        _mm512_store_pd(stretch + p, xi);
        __m512d fx = _mm512_maskz_fmsub_pd(touching, normal, nx, _mm512_mul_pd(shear, ny));
        __m512d fy = _mm512_maskz_fmadd_pd(touching, normal, ny, _mm512_mul_pd(shear, nx));
        _mm512_store_pd(pair_force + 2 * p, _mm512_permutex2var_pd(fx, low, fy));
        _mm512_store_pd(pair_force + 2 * p + WIDTH, _mm512_permutex2var_pd(fx, high, fy));
    }
}

static void add_forces(void) {
    for (int p = 0; p < spheres; p++) {
        __m128d total = _mm_setzero_pd();
        int begin = first_pair[p], end = first_pair[p + 1];
        if (begin == end) continue;
        for (int k = begin; k < end; k++) {
            __m128d f = _mm_load_pd(pair_force + 2 * k);
            double *on_j = force + 2 * pair_j[k];
            total = _mm_add_pd(total, f);
            _mm_store_pd(on_j, _mm_sub_pd(_mm_load_pd(on_j), f));
        }
        double *on_i = force + 2 * pair_i[begin];
        _mm_store_pd(on_i, _mm_add_pd(_mm_load_pd(on_i), total));
    }
}
#else
static void evaluate_pairs(void) {
    const double normal_damping = state.normal_damping / state.dt, shear_damping = state.shear_damping / state.dt;
    const double k_s = state.shear_stiffness, mu = state.friction;
    const double *restrict x = X[0], *restrict y = Y[0], *restrict vx = X[1], *restrict vy = Y[1];
    double *restrict xi = stretch, *restrict f = pair_force;
    const int n = pairs;
#pragma omp simd
    for (int p = 0; p < n; p++) {
        int i = pair_i[p], j = pair_j[p];
        double lx = x[i] - x[j], ly = y[i] - y[j], ux = vx[i] - vx[j], uy = vy[i] - vy[j];
        double distance = sqrt(lx * lx + ly * ly), nx = lx / distance, ny = ly / distance;
        double overlap = radius_sum[p] - distance, touching = overlap > 0.0 ? 1.0 : 0.0;
        overlap = overlap > 0.0 ? overlap : 0.0;
        double u_n = ux * nx + uy * ny, u_t = ux * ny - uy * nx, m = effective_mass[p];
        double normal = touching * (stiffness[p] * overlap * sqrt(overlap) - normal_damping * m * u_n);
        double limit = mu * (normal > 0.0 ? normal : 0.0);
        xi[p] = touching * (xi[p] + u_t);
        double spring = k_s * xi[p];
        spring = spring > limit ? limit : spring < -limit ? -limit : spring;
        double shear = touching * (shear_damping * m * u_t + spring); /* against the tangent */
        f[2 * p] = normal * nx - shear * ny;
        f[2 * p + 1] = normal * ny + shear * nx;
    }
}

static void add_forces(void) {
    for (int p = 0; p < spheres; p++) {
        int begin = first_pair[p], end = first_pair[p + 1];
        if (begin == end) continue;
        double x = 0.0, y = 0.0;
        for (int k = begin; k < end; k++) {
            int j = pair_j[k];
            x += pair_force[2 * k], y += pair_force[2 * k + 1];
            force[2 * j] -= pair_force[2 * k], force[2 * j + 1] -= pair_force[2 * k + 1];
        }
        force[2 * pair_i[begin]] += x, force[2 * pair_i[begin] + 1] += y;
    }
}
#endif

/* ---- Integrators: the end of a step and the beginning of the next one in one pass ----------------------------------- */

/* Taylor series of the scaled derivatives: over one step forwards, or with sign -1 backwards. */
#define PREDICT(a, s)                                                                                                  \
    a[0] += s * a[1] + a[2] + s * a[3] + a[4] + s * a[5], a[1] += s * 2 * a[2] + 3 * a[3] + s * 4 * a[4] + 5 * a[5],    \
        a[2] += s * 3 * a[3] + 6 * a[4] + s * 10 * a[5], a[3] += s * 4 * a[4] + 10 * a[5], a[4] += s * 5 * a[5]

#define CORRECT(a, e)                                                                                                  \
    a[0] += 3.0 / 16 * e, a[1] += 251.0 / 360 * e, a[2] += e, a[3] += 11.0 / 18 * e, a[4] += 1.0 / 6 * e,               \
        a[5] += 1.0 / 60 * e

#define READ(A) {A[0][i], A[1][i], A[2][i], A[3][i], A[4][i], A[5][i]}
#define WRITE(A, a) A[0][i] = a[0], A[1][i] = a[1], A[2][i] = a[2], A[3][i] = a[3], A[4][i] = a[4], A[5][i] = a[5]

static void correct_and_predict(void) {
    const double gx = 0.5 * state.gravity_x * state.dt * state.dt, gy = 0.5 * state.gravity_y * state.dt * state.dt;
    double most = 0.0;
    double *restrict f = force, *restrict out = row;
    double *restrict x0 = X[0], *restrict x1 = X[1], *restrict x2 = X[2], *restrict x3 = X[3], *restrict x4 = X[4];
    double *restrict y0 = Y[0], *restrict y1 = Y[1], *restrict y2 = Y[2], *restrict y3 = Y[3], *restrict y4 = Y[4];
    double *restrict x5 = X[5], *restrict y5 = Y[5];
    double *restrict x[LEVELS] = {x0, x1, x2, x3, x4, x5}, *restrict y[LEVELS] = {y0, y1, y2, y3, y4, y5};
    const double *restrict half = half_dt2_per_mass, *restrict old_x = x_at_list, *restrict old_y = y_at_list;
#pragma omp simd reduction(max : most)
    for (int i = 0; i < moving; i++) {
        double a[LEVELS] = READ(x), b[LEVELS] = READ(y);
        double error_x = f[2 * i] * half[i] + gx - a[2], error_y = f[2 * i + 1] * half[i] + gy - b[2];
        CORRECT(a, error_x);
        CORRECT(b, error_y);
        PREDICT(a, 1);
        PREDICT(b, 1);
        WRITE(x, a);
        WRITE(y, b);
        out[4 * i] = a[0], out[4 * i + 1] = b[0], out[4 * i + 2] = a[1], out[4 * i + 3] = b[1];
        f[2 * i] = f[2 * i + 1] = 0.0;
        double dx = a[0] - old_x[i], dy = b[0] - old_y[i], square = dx * dx + dy * dy;
        most = most > square ? most : square;
    }
    farthest_squared = most;
}

static void kick_and_drift(void) {
    const double gx = state.gravity_x * state.dt * state.dt, gy = state.gravity_y * state.dt * state.dt;
    double most = 0.0;
    double *restrict f = force, *restrict out = row;
    double *restrict x0 = X[0], *restrict x1 = X[1], *restrict y0 = Y[0], *restrict y1 = Y[1];
    const double *restrict half = half_dt2_per_mass, *restrict old_x = x_at_list, *restrict old_y = y_at_list;
#pragma omp simd reduction(max : most)
    for (int i = 0; i < moving; i++) {
        double vx = x1[i] + 2.0 * f[2 * i] * half[i] + gx, vy = y1[i] + 2.0 * f[2 * i + 1] * half[i] + gy;
        double px = x0[i] + vx, py = y0[i] + vy;
        x0[i] = px, x1[i] = vx, y0[i] = py, y1[i] = vy;
        out[4 * i] = px, out[4 * i + 1] = py, out[4 * i + 2] = vx, out[4 * i + 3] = vy;
        f[2 * i] = f[2 * i + 1] = 0.0;
        double dx = px - old_x[i], dy = py - old_y[i], square = dx * dx + dy * dy;
        most = most > square ? most : square;
    }
    farthest_squared = most;
}

/* From the end of a step to the beginning of the next one (sign 1), or back (sign -1). */
static void half_step(double sign) {
    for (int i = 0; i < moving; i++) {
        double a[LEVELS] = READ(X), b[LEVELS] = READ(Y);
        if (state.gear) {
            PREDICT(a, sign);
            PREDICT(b, sign);
        } else {
            a[0] += sign * a[1], b[0] += sign * b[1];
        }
        WRITE(X, a);
        WRITE(Y, b);
    }
}

static void run(long steps) {
    for (long s = 0; s < steps; s++) {
        if (farthest_squared > 0.25 * state.skin * state.skin) make_list();
        evaluate_pairs();
        add_forces();
        if (state.gear) correct_and_predict();
        else kick_and_drift();
    }
}

/* ---- Files ----------------------------------------------------------------------------------------------------------- */

static void read_column(double *column, int count, FILE *file) {
    if (fread(column, sizeof(double), count, file) != (size_t)count) exit(2);
}

static void read_state(const char *name) {
    FILE *file = fopen(name, "rb");
    if (!file || fread(&state, sizeof state, 1, file) != 1) exit(2);
    moving = (int)state.moving, spheres = (int)state.spheres;
    const int places = spheres + 2 * WIDTH; /* two spheres far away, and the rest of a register */
    for (int q = 0; q < LEVELS; q++) {
        X[q] = table(places, sizeof(double)), Y[q] = table(places, sizeof(double));
        read_column(X[q], spheres, file), read_column(Y[q], spheres, file);
    }
    double scale = 1.0;
    for (int q = 1; q < LEVELS; q++) {
        scale *= state.dt / q;
        for (int i = 0; i < spheres; i++) X[q][i] *= scale, Y[q][i] *= scale;
    }
    radius = table(places, sizeof(double)), mass = table(places, sizeof(double));
    read_column(radius, spheres, file), read_column(mass, spheres, file);
    half_dt2_per_mass = table(places, sizeof(double));
    for (int i = 0; i < moving; i++) half_dt2_per_mass[i] = 0.5 * state.dt * state.dt / mass[i];
    X[0][spheres] = -1e6, X[0][spheres + 1] = 1e6;
    row = table(4 * places, sizeof(double)), force = table(2 * places, sizeof(double));
    x_at_list = table(places, sizeof(double)), y_at_list = table(places, sizeof(double));

    capacity = 12 * spheres + 4096;
    pair_i = table(capacity, sizeof(int)), pair_j = table(capacity, sizeof(int));
    first_pair = table(places, sizeof(int));
    stretch = table(capacity, sizeof(double)), radius_sum = table(capacity, sizeof(double));
    effective_mass = table(capacity, sizeof(double)), stiffness = table(capacity, sizeof(double));
    pair_force = table(2 * capacity, sizeof(double));
    cell_of = table(places, sizeof(int)), in_cell_order = table(places, sizeof(int));
    x_sorted = table(places, sizeof(double)), y_sorted = table(places, sizeof(double));
    radius_sorted = table(places, sizeof(double));
    remembered_count = table(places, sizeof(int)), remembered_partner = table(REMEMBERED * places, sizeof(int));
    remembered_stretch = table(REMEMBERED * places, sizeof(double));

    pairs = (int)state.contacts; /* the contacts are a list, from which the first one takes its stretches */
    if (pairs > capacity) exit(4);
    for (int p = 0; p < pairs; p++) {
        double contact[3]; /* i, j, stretch [m] */
        read_column(contact, 3, file);
        pair_i[p] = (int)contact[0], pair_j[p] = (int)contact[1], stretch[p] = contact[2];
    }
    fclose(file);
}

static void write_state(const char *name) {
    FILE *file = fopen(name, "wb");
    if (!file) exit(2);
    for (int i = 0; i < spheres; i++) X[1][i] /= state.dt, Y[1][i] /= state.dt;
    for (int q = 0; q < 2; q++)
        if (fwrite(X[q], sizeof(double), spheres, file) + fwrite(Y[q], sizeof(double), spheres, file) != 2u * spheres)
            exit(2);
    fclose(file);
}

int main(int count, char **arguments) {
    if (count < 2) return 2;
    read_state(arguments[1]);
    half_step(1.0);
    for (int i = 0; i < spheres + 2; i++) fill_row(i);
    make_list();
    run((long)state.warm_up);
    double began = seconds();
    run((long)state.steps);
    printf("%.4f\n", (seconds() - began) / state.steps / moving * 1e9);
    if (count > 2) {
        half_step(-1.0);
        write_state(arguments[2]);
    }
    return 0;
}
