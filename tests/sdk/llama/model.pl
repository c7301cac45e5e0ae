#!/usr/bin/perl
# A model of the llama architecture whose weights are random, as a GGUF file of a
# few hundred kilobytes on stdout: what it says is nonsense of letters, newlines
# and some characters of several bytes, a hundred tokens at a time, and now and
# then it begins a call, which the server's grammar then completes. The format is
# that of the GGUF specification, version 3. The argument is the seed.
use strict;
use warnings;

srand($ARGV[0] // 1);
my ($width, $layers, $heads, $hidden) = (64, 1, 2, 96);
my $alignment = 32;

# ---- the vocabulary ----------------------------------------------------------

my ($NORMAL, $UNKNOWN, $CONTROL, $OWN, $BYTE) = (1, 2, 3, 4, 6);
my $never = -40;

# Text, type, and the logarithm of how often it is said (a letter is 0). The
# tokenizer writes a space as U+2581.
my @vocabulary = (['<unk>', $UNKNOWN, $never], ['<s>', $CONTROL, $never],
	['</s>', $CONTROL, 1]);
push @vocabulary, [sprintf('<0x%02X>', $_), $BYTE, $_ == 10 ? 0 : $never] for 0 .. 255;
push @vocabulary, [chr, $NORMAL, 0] for 33 .. 126;
push @vocabulary, [$_, $NORMAL, 0] for
	"\xe2\x96\x81", "\xc3\xa9", "\xe2\x86\x92", "\xe6\xbc\xa2", "\xf0\x9f\x98\x80";
push @vocabulary, ['<tool_call>', $OWN, 1.5], ['</tool_call>', $OWN, $never];
# Pairs of letters only make prompts shorter.
for my $first ('a' .. 'z') {
	push @vocabulary, [$first . $_, $NORMAL, $never] for 'a' .. 'z', "\xe2\x96\x81";
}

my $template = <<'END';
{%- if tools %}<|system|>
Call a function by <tool_call>{"name": NAME, "arguments": OBJECT}</tool_call>:
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}{% endif -%}
{%- for message in messages %}<|{{ message.role }}|>
{{ message.content if message.content }}
{%- for call in message.tool_calls or [] %}<tool_call>{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}</tool_call>
{%- endfor %}</s>
{% endfor %}
{%- if add_generation_prompt %}<|assistant|>
{% endif %}
END

# ---- metadata ----------------------------------------------------------------

sub text { pack('Q< a*', length $_[0], $_[0]) }

my %type = (u32 => [4, 'L<'], i32 => [5, 'l<'], f32 => [6, 'f<'], bool => [7, 'C']);
my (@pairs, @tensors, $data);

sub pair
{
	my ($key, $type, $value) = @_;

	push @pairs, text($key) . ($type eq 'text'
		? pack('L<', 8) . text($value)
		: pack("L< $type{$type}[1]", $type{$type}[0], $value));
}

sub array
{
	my ($key, $type, @values) = @_;

	push @pairs, text($key) . pack('L< L< Q<', 9,
		$type eq 'text' ? 8 : $type{$type}[0], scalar @values)
		. ($type eq 'text' ? join('', map { text($_) } @values)
		: pack("($type{$type}[1])*", @values));
}

pair('general.architecture', text => 'llama');
pair('general.name', text => 'nonsense');
pair('general.alignment', u32 => $alignment);
pair('llama.context_length', u32 => 131072);
pair('llama.embedding_length', u32 => $width);
pair('llama.block_count', u32 => $layers);
pair('llama.feed_forward_length', u32 => $hidden);
pair('llama.attention.head_count', u32 => $heads);
pair('llama.attention.layer_norm_rms_epsilon', f32 => 1e-5);
pair('llama.rope.dimension_count', u32 => $width / $heads);
pair('tokenizer.ggml.model', text => 'llama');
array('tokenizer.ggml.tokens', text => map { $_->[0] } @vocabulary);
array('tokenizer.ggml.scores', f32 => map { 0 } @vocabulary);
array('tokenizer.ggml.token_type', i32 => map { $_->[1] } @vocabulary);
pair('tokenizer.ggml.unknown_token_id', u32 => 0);
pair('tokenizer.ggml.bos_token_id', u32 => 1);
pair('tokenizer.ggml.eos_token_id', u32 => 2);
pair('tokenizer.ggml.add_space_prefix', bool => 0);
pair('tokenizer.chat_template', text => $template);

# ---- weights -----------------------------------------------------------------

# As [shape], values; the innermost dimension is the first of the shape.
sub tensor
{
	my ($name, $shape, @values) = @_;

	$data .= "\0" x (-length($data // '') % $alignment);
	push @tensors, text($name)
		. pack('L< Q<' . @$shape . ' L< Q<', scalar @$shape, @$shape, 0, length $data);
	$data .= pack('(f<)*', @values);
}

sub noise { my ($n, $size) = @_; map { $size * (2 * rand() - 1) } 1 .. $n }

# The first element of a token's vector is the same for all, and so large that
# it is still there at the end: by it the last matrix sets how often each is said.
my $constant = 8;
my $after = $constant / sqrt(($constant**2 + ($width - 1) / 3) / $width);

tensor('token_embd.weight', [$width, scalar @vocabulary],
	map { ($constant, noise($width - 1, 1)) } @vocabulary);
for my $layer (map { "blk.$_" } 0 .. $layers - 1) {
	tensor("$layer.${_}_norm.weight", [$width], (1) x $width) for qw(attn ffn);
	tensor("$layer.attn_$_.weight", [$width, $width], noise($width**2, 0.1))
		for qw(q k v output);
	tensor("$layer.ffn_$_.weight", [$width, $hidden], noise($width * $hidden, 0.1))
		for qw(gate up);
	tensor("$layer.ffn_down.weight", [$hidden, $width], noise($width * $hidden, 0.1));
}
tensor('output_norm.weight', [$width], (1) x $width);
tensor('output.weight', [$width, scalar @vocabulary], map {
	my ($text, $type, $often) = @$_;
	($often / $after, noise($width - 1, $type == $NORMAL ? 0.6 : 0))
} @vocabulary);

# ---- the file ----------------------------------------------------------------

binmode STDOUT;
my $head = 'GGUF' . pack('L< Q< Q<', 3, scalar @tensors, scalar @pairs)
	. join('', @pairs, @tensors);
print $head, "\0" x (-length($head) % $alignment), $data;
