"""The picture of the first page is drawn from the data of a run."""

from popout.paper.excess_picture import draw_losses, main

NAMES = ("homogeneous-risk", "unequal-drift-risk")


def test_both_panels_show_every_strategy_of_their_data(computed):
    equal, unequal = (computed(name)[0] for name in NAMES)
    left, right = draw_losses(equal, unequal).get_axes()
    assert len(left.containers) >= equal.sizes["strategy"]
    markers = {line.get_marker() for line in right.get_lines()} - {"None", ""}
    assert len(markers) == unequal.sizes["strategy"] - 1  # the optimum is the zero line
    for ax in (left, right):
        assert ax.get_xlabel()
        assert ax.get_ylabel().endswith("(%)")


def test_the_command_writes_a_small_picture(computed, tmp_path):
    for name in NAMES:
        computed(name)[0].to_netcdf(tmp_path / f"{name}.nc", engine="scipy")
    main([str(tmp_path), str(tmp_path / "excess.png")])
    content = (tmp_path / "excess.png").read_bytes()
    assert content.startswith(b"\x89PNG")
    assert len(content) < 100_000
