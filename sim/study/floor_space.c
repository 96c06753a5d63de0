/* The floor of the benchmark in space: spheres with rotation, written by hand for this one case.
 *
 * Hertz-Mindlin with history (damping of Tsuji), one material, planes at rest, leap-frog, one thread, float64: the
 * formulas of sim/laws/hertz_mindlin.py, sim/laws/sliding.py and sim/engine/contacts/kinematics.py, without the energy
 * ledger. The engine steps any law, integrator and dimension; its time per grain and step is compared with the time of
 * this program for the same state (sim/study/floor.py builds, feeds and runs it). What makes it fast:
 *   - only pairs that touch are evaluated; they are chosen from the neighbour list by their distances alone;
 *   - eight contacts are evaluated at once; what they read of a sphere lies in three cache lines, which are transposed
 *     in registers;
 *   - force and torque are added up in one row of a sphere, in the order of cells;
 *   - kick, drift and the rows of the next evaluation are one pass.
 *
 * Arguments: file of the state, and optionally a file for positions and velocities at the end. Both hold float64 only.
 * Prints the wall time per moving sphere and step [ns].
 */
#define _POSIX_C_SOURCE 200112L /* clock_gettime and posix_memalign */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

enum { WIDTH = 8, REMEMBERED = 16, COLUMNS = 24, PLANES = 16 };
/* contacts evaluated at once; contacts of a sphere with spheres of higher index that are kept while a list is made;
 * numbers in the row of a sphere; most planes */

static struct {
    double spheres, contacts, planes, wall_contacts;
    double dt;                       /* [s] */
    double gravity[3];               /* [m/s^2] */
    double young, across, damping;   /* E* [Pa], sqrt(4 G star / E star) [-], share of critical damping [-] */
    double friction;                 /* [-] */
    double skin;                     /* [m] */
    double warm_up, steps;           /* steps that are not timed, steps that are */
} state;

static int spheres, planes;
static double *X[3], *V[3], *A[3], *W[3], *B[3]; /* position, velocity and acceleration of centres and spins */
static double *radius, *per_radius, *per_mass, *per_inertia;
static double *row;   /* x y z R | v - || R w 1/m | d x - || turn R | R turn 1/R, of each sphere */
static double *load;  /* F_x F_y F_z - T_x T_y T_z - of each sphere; the torque is -R T [N] */
static double *at_list[3], farthest_squared;
static double evaluation = 1.0; /* number of evaluations so far; 0 is none */
static double plane_point[PLANES][3], plane_normal[PLANES][3];

typedef struct {
    int count, capacity;
    int *i, *j;     /* spheres, or sphere and plane */
    double *spring; /* {x, y, z, number} of each entry: shear displacement [m], number of the evaluation at which it touched last */
} Contacts;

static Contacts pairs, walls;
static int *chosen; /* entries that touch */

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

/* ---- Neighbour list ---------------------------------------------------------------------------------------------- */

static int *cell_of, *in_cell_order, *cell_begin, cell_capacity;
static double *x_sorted, *y_sorted, *z_sorted, *radius_sorted;
static int *remembered_count, *remembered_partner;
static double *remembered_spring;

static void remember_springs(void) {
    memset(remembered_count, 0, sizeof(int) * spheres);
    for (int p = 0; p < pairs.count; p++) {
        if (pairs.spring[4 * p + 3] != evaluation) continue;
        int i = pairs.i[p], j = pairs.j[p], low = i < j ? i : j, n = remembered_count[low]++;
        if (n >= REMEMBERED) exit(4);
        int place_of = low * REMEMBERED + n;
        remembered_partner[place_of] = i < j ? j : i;
        for (int c = 0; c < 3; c++) /* of the sphere of lower index relative to the other one */
            remembered_spring[3 * place_of + c] = i < j ? pairs.spring[4 * p + c] : -pairs.spring[4 * p + c];
    }
}

static void sort_into_cells(int *columns, int *layer) {
    double low[3] = {1e300, 1e300, 1e300}, high[3] = {-1e300, -1e300, -1e300}, largest = 0.0;
    for (int i = 0; i < spheres; i++) {
        for (int c = 0; c < 3; c++) low[c] = fmin(low[c], X[c][i]), high[c] = fmax(high[c], X[c][i]);
        largest = fmax(largest, radius[i]);
    }
    double side = 2.0 * largest + state.skin;
    int size[3];
    for (;;) { /* one empty cell all round; wider cells where a few spheres are far away */
        for (int c = 0; c < 3; c++) size[c] = (int)((high[c] - low[c]) / side) + 3;
        if ((double)size[0] * size[1] * size[2] < 8.0 * spheres + 4000.0) break;
        side *= 1.3;
    }
    int cells = size[0] * size[1] * size[2] + 2;
    if (cells > cell_capacity) {
        cell_capacity = 2 * cells;
        free(cell_begin);
        cell_begin = table(cell_capacity + 2, sizeof(int));
    }
    memset(cell_begin, 0, sizeof(int) * (cells + 2));
    for (int i = 0; i < spheres; i++) {
        int at[3];
        for (int c = 0; c < 3; c++) at[c] = (int)((X[c][i] - low[c]) / side) + 1;
        cell_of[i] = (at[2] * size[1] + at[1]) * size[0] + at[0];
        cell_begin[cell_of[i] + 1]++;
    }
    for (int c = 0; c < cells; c++) cell_begin[c + 1] += cell_begin[c];
    for (int i = spheres - 1; i >= 0; i--) { /* afterwards entry c + 1 is the begin of cell c */
        int to = --cell_begin[cell_of[i] + 1];
        in_cell_order[to] = i;
        x_sorted[to] = X[0][i], y_sorted[to] = X[1][i], z_sorted[to] = X[2][i], radius_sorted[to] = radius[i];
    }
    *columns = size[0], *layer = size[0] * size[1];
}

/* Append the pairs of the sphere at place p with those at places `from` to `to` - 1 that are near; return their end. */
static int near_ones(int p, int from, int to, int end) {
    const int i = in_cell_order[p];
#ifdef __AVX512F__
    const __m512d x = _mm512_set1_pd(x_sorted[p]), y = _mm512_set1_pd(y_sorted[p]), z = _mm512_set1_pd(z_sorted[p]);
    const __m512d own = _mm512_set1_pd(radius_sorted[p] + state.skin);
    for (int k = from; k < to; k += WIDTH) {
        __mmask8 used = to - k >= WIDTH ? 0xff : (1u << (to - k)) - 1;
        __m512d lx = _mm512_sub_pd(_mm512_loadu_pd(x_sorted + k), x), ly = _mm512_sub_pd(_mm512_loadu_pd(y_sorted + k), y);
        __m512d lz = _mm512_sub_pd(_mm512_loadu_pd(z_sorted + k), z);
        __m512d reach = _mm512_add_pd(_mm512_loadu_pd(radius_sorted + k), own);
        __m512d square = _mm512_fmadd_pd(lx, lx, _mm512_fmadd_pd(ly, ly, _mm512_mul_pd(lz, lz)));
        __mmask8 near = _mm512_mask_cmp_pd_mask(used, square, _mm512_mul_pd(reach, reach), _CMP_LT_OQ);
        __m256i j = _mm256_loadu_si256((void *)(in_cell_order + k));
        _mm256_storeu_si256((void *)(pairs.i + end), _mm256_set1_epi32(i));
        _mm256_storeu_si256((void *)(pairs.j + end), _mm256_maskz_compress_epi32(near, j));
        end += __builtin_popcount(near);
    }
#else
    const double reach_of = radius_sorted[p] + state.skin;
    for (int k = from; k < to; k++) { /* always written, counted if near: no branch to mispredict */
        double lx = x_sorted[k] - x_sorted[p], ly = y_sorted[k] - y_sorted[p], lz = z_sorted[k] - z_sorted[p];
        double reach = radius_sorted[k] + reach_of;
        pairs.i[end] = i, pairs.j[end] = in_cell_order[k];
        end += lx * lx + ly * ly + lz * lz < reach * reach;
    }
#endif
    return end;
}

static double gap_to(int plane, const double x[3]) {
    double gap = 0.0;
    for (int c = 0; c < 3; c++) gap += (x[c] - plane_point[plane][c]) * plane_normal[plane][c];
    return gap;
}

static void list_walls(void) {
    static Contacts before;
    int kept = 0;
    Contacts old = walls;
    if (!before.capacity) {
        before = walls;
        before.i = table(walls.capacity, sizeof(int)), before.j = table(walls.capacity, sizeof(int));
        before.spring = table(4 * walls.capacity, sizeof(double));
    }
    walls = before, before = old;
    walls.count = 0;
    for (int plane = 0; plane < planes; plane++)
        for (int i = 0; i < spheres; i++) {
            const double x[3] = {X[0][i], X[1][i], X[2][i]};
            int to = walls.count;
            if (gap_to(plane, x) > radius[i] + 0.5 * state.skin) continue;
            if (to == walls.capacity) exit(4);
            walls.i[to] = i, walls.j[to] = plane, walls.spring[4 * to + 3] = 0.0;
            while (kept < old.count && (old.j[kept] < plane || (old.j[kept] == plane && old.i[kept] < i))) kept++;
            if (kept < old.count && old.j[kept] == plane && old.i[kept] == i)
                memcpy(walls.spring + 4 * to, old.spring + 4 * kept, 4 * sizeof(double));
            walls.count++;
        }
}

static void make_list(void) {
    int columns, layer;
    remember_springs();
    sort_into_cells(&columns, &layer);
    const int *begin = cell_begin + 1;
    int end = 0;
    for (int p = 0; p < spheres; p++) {
        int cell = cell_of[in_cell_order[p]];
        end = near_ones(p, p + 1, begin[cell + 2], end); /* the rest of its cell and the next cell */
        end = near_ones(p, begin[cell + columns - 1], begin[cell + columns + 2], end); /* three cells behind */
        for (int behind = -1; behind <= 1; behind++) {                                 /* nine cells above */
            int middle = cell + layer + behind * columns;
            end = near_ones(p, begin[middle - 1], begin[middle + 2], end);
        }
        if (end + 256 > pairs.capacity) {
            fprintf(stderr, "The neighbour list has more than %d pairs.\n", pairs.capacity);
            exit(4);
        }
    }
    pairs.count = end;
    for (int p = 0; p < end; p++) {
        int i = pairs.i[p], j = pairs.j[p], low = i < j ? i : j, high = i < j ? j : i;
        pairs.spring[4 * p + 3] = 0.0;
        for (int k = 0; k < remembered_count[low]; k++)
            if (remembered_partner[low * REMEMBERED + k] == high) {
                pairs.spring[4 * p + 3] = evaluation;
                for (int c = 0; c < 3; c++) {
                    double spring = remembered_spring[3 * (low * REMEMBERED + k) + c];
                    pairs.spring[4 * p + c] = i < j ? spring : -spring;
                }
            }
    }
    for (int p = end; p < end + WIDTH; p++) pairs.i[p] = spheres, pairs.j[p] = spheres + 1, pairs.spring[4 * p + 3] = 0.0;
    list_walls();
    for (int c = 0; c < 3; c++) memcpy(at_list[c], X[c], sizeof(double) * spheres);
}

/* ---- Forces: n points from j to i, or from a plane to the sphere -------------------------------------------------- */

/* Of eight contacts: branch, velocity, R_i w_i + R_j w_j, 1/m*, displacement, whether the normal turns, sum of the
 * rotations, R_i + R_j, R_i turn_i + R_j turn_j, 1/R*, spring, evaluation at which they touched last. */
enum { BX = 0, VX = 4, QX = 8, PER_MASS = 11, DX = 12, CURVED = 15, MX = 16, SUM = 19, PX = 20, PER_RADIUS = 23, SX = 24,
       LAST = 27, QUANTITIES = 28 };
static double block[QUANTITIES][WIDTH] __attribute__((aligned(64)));
static double result[8][WIDTH] __attribute__((aligned(64))); /* F, -, T, - */
static double rows_of[WIDTH][8] __attribute__((aligned(64))); /* their transpose */

#ifdef __AVX512F__
typedef __m512d Lanes; /* as many contacts as are evaluated by one instruction */
enum { LANES = 8 };
#define ALL(a) _mm512_set1_pd(a)
#define READ(a) _mm512_load_pd(a)
#define WRITE(to, a) _mm512_store_pd(to, a)
static inline Lanes least(Lanes a, Lanes b) { return _mm512_min_pd(a, b); }
static inline Lanes most(Lanes a, Lanes b) { return _mm512_max_pd(a, b); }
static inline Lanes if_above(Lanes a, Lanes b, Lanes yes, Lanes no) {
    return _mm512_mask_blend_pd(_mm512_cmp_pd_mask(a, b, _CMP_GT_OQ), no, yes);
}
static inline Lanes inverse_root(Lanes a) { /* estimate and two Newton steps: all digits but the last */
    Lanes half = a * ALL(0.5), y = _mm512_rsqrt14_pd(a);
    y = y * (ALL(1.5) - half * y * y);
    return y * (ALL(1.5) - half * y * y);
}
static inline Lanes inverse(Lanes a) { /* likewise */
    Lanes y = _mm512_rcp14_pd(a);
    y = y * (ALL(2.0) - a * y);
    return y * (ALL(2.0) - a * y);
}
#else
typedef double Lanes;
enum { LANES = 1 };
#define ALL(a) (a)
#define READ(a) (*(a))
#define WRITE(to, a) (*(to) = (a))
static inline Lanes least(Lanes a, Lanes b) { return a < b ? a : b; }
static inline Lanes most(Lanes a, Lanes b) { return a > b ? a : b; }
static inline Lanes if_above(Lanes a, Lanes b, Lanes yes, Lanes no) { return a > b ? yes : no; }
static inline Lanes inverse_root(Lanes a) { return 1.0 / sqrt(a); }
static inline Lanes inverse(Lanes a) { return 1.0 / a; }
#endif

typedef struct {
    Lanes x, y, z;
} Vector;
static inline Vector at(int quantity, int k) {
    return (Vector){READ(block[quantity] + k), READ(block[quantity + 1] + k), READ(block[quantity + 2] + k)};
}
static inline Vector scaled(Lanes f, Vector a) { return (Vector){f * a.x, f * a.y, f * a.z}; }
static inline Vector sum_of(Vector a, Vector b) { return (Vector){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline Vector less(Vector a, Lanes f, Vector b) { return (Vector){a.x - f * b.x, a.y - f * b.y, a.z - f * b.z}; }
static inline Lanes dot(Vector a, Vector b) { return a.x * b.x + (a.y * b.y + a.z * b.z); }
static inline Vector cross(Vector a, Vector b) {
    return (Vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static void evaluate_block(void) {
    const Lanes zero = ALL(0.0), one = ALL(1.0), half = ALL(0.5), tiny = ALL(1e-290), now = ALL(evaluation - 1.0);
    const Lanes young = ALL(2.0 * state.young), ratio = ALL(state.across), friction = ALL(state.friction);
    const Lanes damping = ALL(2.0 * sqrt(5.0 / 6.0) * state.damping);
    for (int k = 0; k < WIDTH; k += LANES) {
        const Lanes sum = READ(block[SUM] + k), curved = READ(block[CURVED] + k), m = inverse(READ(block[PER_MASS] + k));
        const Lanes last = READ(block[LAST] + k);
        const Vector branch = at(BX, k), velocity = at(VX, k);
        Lanes square = dot(branch, branch), per_distance = inverse_root(square), distance = square * per_distance;
        Lanes overlap = most(sum - distance, zero), per_sum = inverse(sum);
        Vector normal = scaled(per_distance, branch), moved = at(DX, k);
        Lanes approached = zero - dot(moved, normal);
        Lanes share = least(overlap * inverse(most(approached, tiny)), one);
        share = if_above(now, last, share, one); /* all of the motion counts where the contact lasted */
        moved = scaled(share, moved);
        Lanes normal_velocity = dot(velocity, normal);
        Vector sliding = less(less(velocity, per_sum, cross(at(QX, k), branch)), normal_velocity, normal);

        Lanes along = dot(moved, normal);
        Vector across = less(moved, along, normal);
        Lanes turned = per_distance * per_distance * dot(across, across);
        Lanes lever = one + (half + half * curved) * (per_distance * along) - curved * ALL(1.0 / 3.0) * turned;
        Vector mean_normal = less(normal, half * curved * per_distance, across);
        Vector slip = less(scaled(sum * per_distance * lever, across), share, cross(at(PX, k), mean_normal));
        slip = scaled(half, less(slip, dot(slip, normal), normal)); /* half of it turns with the pair */

        Vector spring = scaled(if_above(now, last, zero, one), at(SX, k));
        Lanes tilt = dot(spring, normal), lost = tilt * tilt;
        spring = less(spring, tilt, normal);
        Lanes kept = dot(spring, spring);
        Lanes stretch = (kept + ALL(0.75) * lost) * inverse(most(kept + ALL(0.25) * lost, tiny));
        spring = sum_of(scaled(stretch, spring), slip);
        Lanes angle = half * share * dot(at(MX, k), mean_normal);
        spring = sum_of(sum_of(scaled(one - half * angle * angle, spring), scaled(angle, cross(normal, spring))), slip);

        Lanes area = overlap * inverse(READ(block[PER_RADIUS] + k));
        Lanes stiffness = young * area * inverse_root(most(area, tiny)), soft = m * stiffness;
        Lanes viscosity = damping * soft * inverse_root(most(soft, tiny));
        Lanes repulsion = ALL(2.0 / 3.0) * stiffness * overlap - viscosity * normal_velocity;
        Lanes limit = friction * most(repulsion, zero), shear = ratio * ratio * stiffness;
        Vector drag = less(scaled(zero - shear, spring), ratio * viscosity, sliding);
        Vector force = scaled(least(limit * inverse_root(most(dot(drag, drag), tiny)), one), drag);
        Lanes pull = shear * shear * dot(spring, spring);
        spring = scaled(least(limit * inverse_root(most(pull, tiny)), one), spring);
        force = sum_of(scaled(repulsion, normal), force);
        Lanes on = if_above(overlap, zero, one, zero); /* a filling of the block does not touch */
        force = scaled(on, force);
        Vector twist = scaled(per_sum, cross(branch, force));
        WRITE(block[SX] + k, spring.x), WRITE(block[SX + 1] + k, spring.y), WRITE(block[SX + 2] + k, spring.z);
        WRITE(result[0] + k, force.x), WRITE(result[1] + k, force.y), WRITE(result[2] + k, force.z);
        WRITE(result[4] + k, twist.x), WRITE(result[5] + k, twist.y), WRITE(result[6] + k, twist.z);
    }
}

#ifdef __AVX512F__
/* The transpose of eight rows of eight numbers. */
static inline void transpose(__m512d a[8]) {
    __m512d t[8], u[8];
    for (int k = 0; k < 8; k += 2)
        t[k] = _mm512_unpacklo_pd(a[k], a[k + 1]), t[k + 1] = _mm512_unpackhi_pd(a[k], a[k + 1]);
    for (int k = 0; k < 8; k += 4)
        for (int q = 0; q < 2; q++) {
            u[k + q] = _mm512_shuffle_f64x2(t[k + q], t[k + q + 2], 0x88);
            u[k + q + 2] = _mm512_shuffle_f64x2(t[k + q], t[k + q + 2], 0xdd);
        }
    for (int k = 0; k < 4; k++) { /* columns k and k + 4 */
        a[k] = _mm512_shuffle_f64x2(u[k], u[k + 4], 0x88);
        a[k + 4] = _mm512_shuffle_f64x2(u[k], u[k + 4], 0xdd);
    }
}
#endif

/* Combine the rows of the two spheres of eight entries: differences of positions, velocities and displacements, sums of
 * the others; m and R as products and sums. */
static void gather_pairs(const int *entry, int used) {
    int rows_i[WIDTH], rows_j[WIDTH], at[WIDTH];
    for (int k = 0; k < WIDTH; k++) {
        int p = k < used ? entry[k] : pairs.count; /* beyond the last one: spheres far apart */
        rows_i[k] = pairs.i[p], rows_j[k] = pairs.j[p], at[k] = p;
    }
#ifdef __AVX512F__
    const __m512d minus = _mm512_set1_pd(-1.0), one = _mm512_set1_pd(1.0);
    const __m512d sign[3] = {minus, _mm512_mask_blend_pd(0xf0, one, minus), one};
    for (int line = 0; line < 3; line++) {
        __m512d a[8];
        for (int k = 0; k < WIDTH; k++)
            a[k] = _mm512_fmadd_pd(sign[line], _mm512_load_pd(row + COLUMNS * rows_j[k] + 8 * line),
                                   _mm512_load_pd(row + COLUMNS * rows_i[k] + 8 * line));
        transpose(a);
        for (int c = 0; c < 8; c++) _mm512_store_pd(block[8 * line + c], a[c]);
    }
    _mm512_store_pd(block[CURVED], one);
    __m512d springs[8];
    for (int k = 0; k < WIDTH; k++) springs[k] = _mm512_castpd256_pd512(_mm256_load_pd(pairs.spring + 4 * at[k]));
    transpose(springs);
    for (int c = 0; c < 4; c++) _mm512_store_pd(block[SX + c], springs[c]);
#else
    for (int k = 0; k < WIDTH; k++) {
        const double *a = row + COLUMNS * rows_i[k], *b = row + COLUMNS * rows_j[k];
        for (int c = 0; c < COLUMNS; c++) block[c][k] = c < 8 || (12 <= c && c < 16) ? a[c] - b[c] : a[c] + b[c];
        block[CURVED][k] = 1.0;
        for (int c = 0; c < 4; c++) block[SX + c][k] = pairs.spring[4 * at[k] + c];
    }
#endif
}

static void gather_walls(const int *entry, int used) {
    for (int k = 0; k < WIDTH; k++) {
        int t = entry[k < used ? k : 0];
        const double *a = row + COLUMNS * walls.i[t], *n = plane_normal[walls.j[t]];
        double gap = gap_to(walls.j[t], a);
        for (int c = 0; c < COLUMNS; c++) block[c][k] = a[c];
        for (int c = 0; c < 3; c++) block[BX + c][k] = gap * n[c];
        block[CURVED][k] = 0.0;
        for (int c = 0; c < 4; c++) block[SX + c][k] = walls.spring[4 * t + c];
    }
}

/* The transpose of the results, and the springs of the entries. */
static void put_results(const int *entry, int used, double *spring) {
#ifdef __AVX512F__
    __m512d a[8], springs[8];
    for (int c = 0; c < 8; c++) a[c] = _mm512_load_pd(result[c]);
    transpose(a);
    for (int k = 0; k < WIDTH; k++) _mm512_store_pd(rows_of[k], a[k]);
    for (int c = 0; c < 3; c++) springs[c] = _mm512_load_pd(block[SX + c]);
    for (int c = 3; c < 8; c++) springs[c] = _mm512_set1_pd(evaluation);
    transpose(springs);
    for (int k = 0; k < WIDTH; k++)
        if (k < used) _mm256_store_pd(spring + 4 * entry[k], _mm512_castpd512_pd256(springs[k]));
#else
    for (int k = 0; k < used; k++) {
        for (int c = 0; c < 8; c++) rows_of[k][c] = result[c][k];
        for (int c = 0; c < 3; c++) spring[4 * entry[k] + c] = block[SX + c][k];
        spring[4 * entry[k] + 3] = evaluation;
    }
#endif
}

/* Add up the results of pairs: F on i, -F on j, T on both. Entries of one i follow each other. */
static void add_pairs(const int *entry, int used) {
#ifdef __AVX512F__
    const __m512d sign = _mm512_mask_blend_pd(0xf0, _mm512_set1_pd(-1.0), _mm512_set1_pd(1.0));
    int i = pairs.i[entry[0]];
    __m512d total = _mm512_load_pd(load + 8 * i);
    for (int k = 0; k < used; k++) {
        double *on_j = load + 8 * pairs.j[entry[k]];
        __m512d one = _mm512_load_pd(rows_of[k]);
        if (pairs.i[entry[k]] != i) {
            _mm512_store_pd(load + 8 * i, total);
            i = pairs.i[entry[k]];
            total = _mm512_load_pd(load + 8 * i);
        }
        total = _mm512_add_pd(total, one);
        _mm512_store_pd(on_j, _mm512_fmadd_pd(sign, one, _mm512_load_pd(on_j)));
    }
    _mm512_store_pd(load + 8 * i, total);
#else
    for (int k = 0; k < used; k++) {
        double *on_i = load + 8 * pairs.i[entry[k]], *on_j = load + 8 * pairs.j[entry[k]], *one = rows_of[k];
        for (int c = 0; c < 4; c++) on_i[c] += one[c], on_i[4 + c] += one[4 + c], on_j[c] -= one[c], on_j[4 + c] += one[4 + c];
    }
#endif
}

/* Choose the entries that touch, and note that the others do not. */
static int choose_pairs(void) {
    int count = 0;
#ifdef __AVX512F__
    for (int p = 0; p < pairs.count; p += WIDTH) {
        __m512d a[4], b[4];
        for (int k = 0; k < 4; k++) { /* two differences in a register: entries k and k + 4 */
            __m512d on_i = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_load_pd(row + COLUMNS * pairs.i[p + k])),
                                              _mm256_load_pd(row + COLUMNS * pairs.i[p + k + 4]), 1);
            __m512d on_j = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_load_pd(row + COLUMNS * pairs.j[p + k])),
                                              _mm256_load_pd(row + COLUMNS * pairs.j[p + k + 4]), 1);
            a[k] = _mm512_mask_sub_pd(_mm512_add_pd(on_i, on_j), 0x77, on_i, on_j); /* R_i + R_j in the last one */
        }
        b[0] = _mm512_unpacklo_pd(a[0], a[1]), b[1] = _mm512_unpackhi_pd(a[0], a[1]);
        b[2] = _mm512_unpacklo_pd(a[2], a[3]), b[3] = _mm512_unpackhi_pd(a[2], a[3]);
        /* now x z | y R of the entries 0 1 and 4 5, 2 3 and 6 7 */
        __m512d x = _mm512_shuffle_f64x2(b[0], b[2], 0x88), z = _mm512_shuffle_f64x2(b[0], b[2], 0xdd);
        __m512d y = _mm512_shuffle_f64x2(b[1], b[3], 0x88), sum = _mm512_shuffle_f64x2(b[1], b[3], 0xdd);
        __m512d square = _mm512_fmadd_pd(x, x, _mm512_fmadd_pd(y, y, _mm512_mul_pd(z, z)));
        __mmask8 mixed = _mm512_cmp_pd_mask(square, _mm512_mul_pd(sum, sum), _CMP_LT_OQ);
        /* the order of the entries in these registers is 0 1 4 5 2 3 6 7 */
        __mmask8 touch = (mixed & 0xc3) | (mixed & 0x0c) << 2 | (mixed & 0x30) >> 2;
        _mm256_storeu_si256((void *)(chosen + count), _mm256_maskz_compress_epi32(touch, _mm256_add_epi32(
            _mm256_set1_epi32(p), _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0))));
        count += __builtin_popcount(touch);
    }
#else
    for (int p = 0; p < pairs.count; p++) {
        const double *a = row + COLUMNS * pairs.i[p], *b = row + COLUMNS * pairs.j[p];
        double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2], sum = a[3] + b[3];
        int touch = x * x + y * y + z * z < sum * sum;
        chosen[count] = p, count += touch;
    }
#endif
    return count;
}

static void pair_forces(void) {
    int count = choose_pairs();
    for (int first = 0; first < count; first += WIDTH) {
        int used = count - first < WIDTH ? count - first : WIDTH;
        gather_pairs(chosen + first, used);
        evaluate_block();
        put_results(chosen + first, used, pairs.spring);
        add_pairs(chosen + first, used);
    }
}

static void wall_forces(void) {
    int count = 0;
    for (int t = 0; t < walls.count; t++) {
        const double *a = row + COLUMNS * walls.i[t];
        int touch = gap_to(walls.j[t], a) < a[3];
        chosen[count] = t, count += touch;
    }
    for (int first = 0; first < count; first += WIDTH) {
        int used = count - first < WIDTH ? count - first : WIDTH;
        gather_walls(chosen + first, used);
        evaluate_block();
        put_results(chosen + first, used, walls.spring);
        for (int k = 0; k < used; k++)
            for (int c = 0; c < 8; c++) load[8 * walls.i[chosen[first + k]] + c] += rows_of[k][c];
    }
}

/* ---- Leap-frog: the end of a step and the beginning of the next one in one pass ------------------------------------- */

static void drift(double kick) {
    const double dt = state.dt, half = 0.5 * state.dt;
    double most = 0.0;
    for (int first = 0; first < spheres; first += WIDTH) { /* tables have room for a whole register */
        double lines[COLUMNS][WIDTH] __attribute__((aligned(64))), of[8][WIDTH] __attribute__((aligned(64)));
#ifdef __AVX512F__
        __m512d a[8];
        for (int k = 0; k < WIDTH; k++) {
            a[k] = _mm512_load_pd(load + 8 * (first + k));
            _mm512_store_pd(load + 8 * (first + k), _mm512_setzero_pd());
        }
        transpose(a);
        for (int c = 0; c < 8; c++) _mm512_store_pd(of[c], a[c]);
#else
        for (int k = 0; k < WIDTH; k++)
            for (int c = 0; c < 8; c++) of[c][k] = load[8 * (first + k) + c], load[8 * (first + k) + c] = 0.0;
#endif
        const double *restrict r = radius + first, *restrict m = per_mass + first, *restrict turns = per_inertia + first;
        double moved[WIDTH] = {0.0};
        for (int c = 0; c < 3; c++) {
            double *restrict x = X[c] + first, *restrict v = V[c] + first, *restrict a_of = A[c] + first;
            double *restrict w = W[c] + first, *restrict b = B[c] + first;
            const double *restrict old = at_list[c] + first;
            const double g = state.gravity[c];
#pragma omp simd simdlen(8)
            for (int k = 0; k < WIDTH; k++) {
                double pushed = kick != 0.0 ? of[c][k] * m[k] + g : a_of[k];
                double twisted = kick != 0.0 ? -r[k] * of[4 + c][k] * turns[k] : b[k];
                double velocity = v[k] + kick * dt * pushed, spin = w[k] + kick * dt * twisted;
                double position = x[k] + dt * velocity, by = position - old[k], turn = dt * spin;
                a_of[k] = pushed, b[k] = twisted, v[k] = velocity, w[k] = spin, x[k] = position;
                moved[k] += by * by;
                lines[c][k] = position, lines[4 + c][k] = velocity + half * pushed;
                lines[8 + c][k] = r[k] * (spin + half * twisted), lines[12 + c][k] = dt * velocity;
                lines[16 + c][k] = turn, lines[20 + c][k] = r[k] * turn;
            }
        }
        for (int k = 0; k < WIDTH; k++) {
            lines[3][k] = lines[19][k] = r[k], lines[11][k] = m[k], lines[23][k] = per_radius[first + k];
            lines[7][k] = lines[15][k] = 0.0;
            most = first + k < spheres && moved[k] > most ? moved[k] : most;
        }
#ifdef __AVX512F__
        for (int line = 0; line < 3; line++) {
            for (int c = 0; c < 8; c++) a[c] = _mm512_load_pd(lines[8 * line + c]);
            transpose(a);
            for (int k = 0; k < WIDTH; k++) _mm512_store_pd(row + COLUMNS * (first + k) + 8 * line, a[k]);
        }
#else
        for (int k = 0; k < WIDTH; k++)
            for (int c = 0; c < COLUMNS; c++) row[COLUMNS * (first + k) + c] = lines[c][k];
#endif
    }
    farthest_squared = most;
}

static void run(long steps) {
    for (long s = 0; s < steps; s++) {
        if (farthest_squared > 0.25 * state.skin * state.skin) make_list();
        evaluation += 1.0;
        pair_forces();
        wall_forces();
        drift(1.0);
    }
}

/* ---- Files ----------------------------------------------------------------------------------------------------------- */

static void read_numbers(double *numbers, int count, FILE *file) {
    if (fread(numbers, sizeof(double), count, file) != (size_t)count) exit(2);
}

static void open_contacts(Contacts *contacts, int count, int capacity, FILE *file) {
    contacts->count = count, contacts->capacity = capacity;
    if (count > capacity) exit(4);
    contacts->i = table(capacity + WIDTH, sizeof(int)), contacts->j = table(capacity + WIDTH, sizeof(int));
    contacts->spring = table(4 * (capacity + WIDTH), sizeof(double));
    for (int p = 0; p < count; p++) {
        double contact[5]; /* i, j or plane, spring [m] */
        read_numbers(contact, 5, file);
        contacts->i[p] = (int)contact[0], contacts->j[p] = (int)contact[1], contacts->spring[4 * p + 3] = evaluation;
        for (int c = 0; c < 3; c++) contacts->spring[4 * p + c] = contact[2 + c];
    }
}

static void read_state(const char *name) {
    FILE *file = fopen(name, "rb");
    if (!file || fread(&state, sizeof state, 1, file) != 1) exit(2);
    spheres = (int)state.spheres, planes = (int)state.planes;
    if (planes > PLANES) exit(4);
    const int places = spheres + 2 + 2 * WIDTH; /* two spheres far away, and the rest of a register */
    double **tables[5] = {X, V, A, W, B};
    for (int q = 0; q < 5; q++)
        for (int c = 0; c < 3; c++) tables[q][c] = table(places, sizeof(double)), read_numbers(tables[q][c], spheres, file);
    radius = table(places, sizeof(double)), per_radius = table(places, sizeof(double));
    per_mass = table(places, sizeof(double)), per_inertia = table(places, sizeof(double));
    read_numbers(radius, spheres, file), read_numbers(per_mass, spheres, file);
    for (int i = 0; i < spheres; i++) {
        per_mass[i] = 1.0 / per_mass[i], per_radius[i] = 1.0 / radius[i];
        per_inertia[i] = 2.5 * per_mass[i] * per_radius[i] * per_radius[i];
    }
    row = table(COLUMNS * places, sizeof(double)), load = table(8 * places, sizeof(double));
    for (int c = 0; c < 3; c++) at_list[c] = table(places, sizeof(double));
    for (int i = spheres; i < places; i++) { /* spheres that touch nothing */
        radius[i] = 1e-9, per_radius[i] = 1e9, per_mass[i] = per_inertia[i] = 1.0;
        X[0][i] = i % 2 ? 1e6 + i : -1e6 - i;
    }
    for (int q = 0; q < planes; q++) read_numbers(plane_point[q], 3, file), read_numbers(plane_normal[q], 3, file);
    const int capacity = 16 * spheres + 4096;
    open_contacts(&pairs, (int)state.contacts, capacity, file);
    open_contacts(&walls, (int)state.wall_contacts, 4 * spheres + 1024, file);
    chosen = table(capacity + WIDTH, sizeof(int));
    cell_of = table(places, sizeof(int)), in_cell_order = table(places, sizeof(int));
    x_sorted = table(places, sizeof(double)), y_sorted = table(places, sizeof(double));
    z_sorted = table(places, sizeof(double)), radius_sorted = table(places, sizeof(double));
    remembered_count = table(places, sizeof(int)), remembered_partner = table(REMEMBERED * places, sizeof(int));
    remembered_spring = table(3 * REMEMBERED * places, sizeof(double));
    fclose(file);
}

static void write_state(const char *name) {
    FILE *file = fopen(name, "wb");
    double **tables[3] = {X, V, W};
    if (!file) exit(2);
    for (int i = 0; i < spheres; i++)
        for (int c = 0; c < 3; c++) X[c][i] -= state.dt * V[c][i];
    for (int q = 0; q < 3; q++)
        for (int c = 0; c < 3; c++)
            if (fwrite(tables[q][c], sizeof(double), spheres, file) != (size_t)spheres) exit(2);
    fclose(file);
}

int main(int count, char **arguments) {
    if (count < 2) return 2;
    read_state(arguments[1]);
    drift(0.0);
    make_list();
    run((long)state.warm_up);
    double began = seconds();
    run((long)state.steps);
    printf("%.4f\n", (seconds() - began) / state.steps / spheres * 1e9);
    if (count > 2) write_state(arguments[2]);
    return 0;
}
