import { render } from "preact";
import { App } from "./app.tsx";
import { followLinks } from "./router/location.ts";
import { applySettings } from "./settings/settings.ts";
import { startClock } from "./ui/now.ts";
import "./tokens.css";
import "./fonts.css";
import "./base.css";

applySettings();
followLinks();
startClock();
const root = document.querySelector("#console");
if (root !== null) render(<App />, root);
