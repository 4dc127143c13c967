// A module with mistakes that the server must survive: a route in the place of another one, one
// that throws, one that blocks the event loop, and one that answers with garbage.

import { defineModule } from "setpoint";
import type { OwnRoute } from "setpoint";

const answers = { 200: { description: "Anything.", schema: { type: "object" } } };

function route(path: string, handle: unknown): OwnRoute {
  const summary = `Serve ${path}.`;
  return { class: "public", method: "GET", path, summary, answers, handle } as OwnRoute;
}

export default defineModule({
  name: "odd-zoo",
  kinds: [],
  fleet: [
    {
      offering: "dinosaurs",
      routes: [
        route("/dinosaurs/{name}", () => ({ kind: "document", status: 200, document: {} })),
        route("/openapi", () => ({ kind: "document", status: 200, document: {} })),
        route("/odd/throws", () => {
          throw new Error("password=hunter2");
        }),
        route("/odd/garbage", () => 42),
        route("/odd/undeclared", () => ({ kind: "document", status: 201 })),
        route("/odd/blocks", () => {
          const end = Date.now() + 3_000;
          while (Date.now() < end);
          return { kind: "document", status: 200, document: {} };
        }),
      ],
    },
  ],
});
