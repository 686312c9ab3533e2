"""Build paper.pdf from paper.md: pandoc resolves the references, Typst sets the pages."""

from pathlib import Path

import pypandoc
import typst

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Write the PDF beside its source."""
    text = pypandoc.convert_file(
        HERE / "paper.md",
        "typst",
        extra_args=["--citeproc", "--standalone", f"--resource-path={HERE}"],
        cworkdir=str(HERE),
    )
    source = HERE / "paper.typ"
    source.write_text(text, encoding="utf-8")
    typst.compile(source, output=HERE / "paper.pdf", root=HERE.parent)
    source.unlink()


if __name__ == "__main__":
    main()
