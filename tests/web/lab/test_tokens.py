"""Tokens: long, different, and stored as something else."""

from popout.web.lab.tokens import digest_of, is_token, new_token


def test_tokens_are_long_and_different():
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert min(map(len, tokens)) >= 43


def test_a_hash_tells_right_from_wrong():
    token = new_token()
    assert is_token(token, digest_of(token))
    assert token not in digest_of(token)
    for guess in ("", token[:-1], token + "x", "\udcff", digest_of(token)):
        assert not is_token(guess, digest_of(token))
    digest = digest_of(token)
    assert not is_token(token, digest[:-1] + ("0" if digest[-1] != "0" else "1"))
    assert not is_token("", "")
