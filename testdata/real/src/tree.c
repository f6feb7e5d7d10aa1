/* Binary search trees in local memory, linked by real pointers; walked with a stack of pointers. */
#include "kernel.h"

struct node {
	u32 key;
	struct node *left, *right;
};
enum { N = 16 };

KERNEL tree(u32 *sorted, u32 *depths) {
	u32 id = GLOBAL_ID, used = 0, deepest = 0;
	struct node nodes[N], *root = 0, *stack[N];
	for (u32 i = 0; i < N; i++) {
		u32 key = mix(id * N + i) % 1000, depth = 1;
		struct node **at = &root;
		while (*at && (*at)->key != key) {
			at = key < (*at)->key ? &(*at)->left : &(*at)->right;
			depth++;
		}
		if (*at)
			continue;
		*at = &nodes[used++];
		(*at)->key = key;
		(*at)->left = (*at)->right = 0;
		deepest = depth > deepest ? depth : deepest;
	}
	u32 top = 0, n = 0;
	for (struct node *p = root; p || top > 0;) {
		for (; p; p = p->left)
			stack[top++] = p;
		p = stack[--top];
		sorted[id * N + n++] = p->key;
		p = p->right;
	}
	depths[id] = deepest << 8 | used;
}

#ifdef HOST
void describe(void) {
	title("Binary trees of pointers in local memory");
	grid(1, 1, 1);
	block(48, 1, 1);
	u32 *sorted = U32(768, ""), *depths = U32(48, "");
	LAUNCH(tree(sorted, depths));
}
#endif
