// The glossary: build.mjs has put the words there, out of the documentation.

import { themeButton } from "./theme";

document.querySelector(".top")!.append(themeButton());
