// Trees that several threads build: the same to the byte as those that one builds, whatever the boxes are.
#include "collide/broad/bounds_tree.h"
#include "helpers.h"

enum {
    leafCount = 70000 // equal ones fill the room that a build has for its ranges
};

typedef cnTreeBox BoxAt(int leaf);

static cnTreeBox cube(double x, double y, double z, double size) {
    return (cnTreeBox){{(float)(x - size), (float)(y - size), (float)(z - size)},
                       {(float)(x + size), (float)(y + size), (float)(z + size)}};
}

static cnTreeBox scattered(int leaf) {
    (void)leaf;
    double x = random_in(-50.0, 50.0), y = random_in(-50.0, 50.0), z = random_in(-5.0, 5.0);
    return cube(x, y, z, random_in(0.1, 2.0));
}

static cnTreeBox equal(int leaf) {
    (void)leaf;
    return cube(1.0, 2.0, 3.0, 0.5);
}

// A few far apart, each farther than all before, and all the others near one another: splits that leave one
// leaf aside, round after round.
static cnTreeBox ever_farther(int leaf) {
    return leaf < 60 ? cube(exp2(0.4 * leaf), 0.0, 0.0, 0.1) : scattered(leaf);
}

// Leaves where `place` puts them, overwritten twice, and built by so many threads.
static void build(cnBoundsTree* tree, BoxAt* place, int threads) {
    randomState = 7;
    cnThreadPool* pool = cnThreadPool_Borrow(threads);
    cnBoundsTree_Init(tree);
    assert_true(cnBoundsTree_Reserve(tree, leafCount));
    for (int leaf = 0; leaf < leafCount; ++leaf) {
        cnTreeBox box = place(leaf);
        assert_int_equal(cnBoundsTree_Append(tree, &box, leaf), leaf);
    }
    cnBoundsTree_BuildAppended(tree);
    for (int round = 0; round < 2; ++round) {
        // all of them, then two in three, so that subtrees are kept
        for (int leaf = 0; leaf < leafCount; ++leaf) {
            cnTreeBox box = place(leaf);
            if (round == 0 || leaf % 3 != 0) {
                cnBoundsTree_Overwrite(tree, leaf, &box);
            }
        }
        cnBoundsTree_Rebuild(tree, pool);
        assert_true(cnBoundsTree_Validate(tree, cn_treeTight));
    }
    cnThreadPool_Return(pool);
}

static void check_that_threads_agree(BoxAt* place) {
    cnBoundsTree one;
    build(&one, place, 1);
    for (int threads = 2; threads <= 4; ++threads) {
        cnBoundsTree tree;
        build(&tree, place, threads);
        assert_int_equal(tree.root, one.root);
        assert_int_equal(tree.nodes.count, one.nodes.count);
        size_t count = (size_t)one.nodes.count;
        assert_memory_equal(tree.nodes.data, one.nodes.data, count * sizeof *one.nodes.data);
        assert_memory_equal(tree.parents.data, one.parents.data, count * sizeof *one.parents.data);
        assert_memory_equal(tree.heights.data, one.heights.data, count * sizeof *one.heights.data);
        cnBoundsTree_Free(&tree);
    }
    cnBoundsTree_Free(&one);
}

static void scattered_boxes_make_the_same_tree(void** state) {
    (void)state;
    check_that_threads_agree(scattered);
}

static void equal_boxes_make_the_same_tree(void** state) {
    (void)state;
    check_that_threads_agree(equal);
}

static void lopsided_splits_make_the_same_tree(void** state) {
    (void)state;
    check_that_threads_agree(ever_farther);
}

int main(void) {
    return run_all(scattered_boxes_make_the_same_tree, equal_boxes_make_the_same_tree,
                   lopsided_splits_make_the_same_tree);
}
