/* Base64: encodes bytes, decodes the result again and compares. */
#include "kernel.h"

CONSTANT char digits[64] = {
	'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M', 'N', 'O', 'P', 'Q', 'R', 'S', 'T', 'U', 'V',
	'W', 'X', 'Y', 'Z', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r',
	's', 't', 'u', 'v', 'w', 'x', 'y', 'z', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '+', '/',
};

static s32 value(u8 c) {
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

KERNEL base64(u8 *out, u32 *check) {
	u32 id = GLOBAL_ID, length = id % 12, same = 0, decoded = 0, bits = 0, held = 0;
	u8 bytes[12], *text = out + id * 16;
	for (u32 i = 0; i < length; i++)
		bytes[i] = (u8)mix(id * 12 + i);
	u32 n = 0;
	for (u32 i = 0; i < length; i += 3) {
		u32 group = (u32)bytes[i] << 16;
		group |= i + 1 < length ? (u32)bytes[i + 1] << 8 : 0;
		group |= i + 2 < length ? bytes[i + 2] : 0;
		text[n++] = (u8)digits[group >> 18];
		text[n++] = (u8)digits[group >> 12 & 63];
		text[n++] = i + 1 < length ? (u8)digits[group >> 6 & 63] : '=';
		text[n++] = i + 2 < length ? (u8)digits[group & 63] : '=';
	}
	for (u32 i = 0; i < n; i++) {
		s32 v = value(text[i]);
		if (v < 0)
			break;
		held = held << 6 | (u32)v;
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			same += (u8)(held >> bits) == bytes[decoded++];
		}
	}
	check[id] = same << 16 | decoded << 8 | length;
}

#ifdef HOST
void describe(void) {
	title("Base64, encode and decode");
	grid(1, 1, 1);
	block(60, 1, 1);
	u8 *out = U8(960, "");
	u32 *check = U32(60, "");
	LAUNCH(base64(out, check));
}
#endif
