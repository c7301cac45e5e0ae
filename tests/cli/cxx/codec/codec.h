struct codec {
	const unsigned char *data;
	int bytes;
};

struct codec *codec_open(const char *path);
struct codec *codec_lookup(const char *path);
long long codec_check(const struct codec *c);
