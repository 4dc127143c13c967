// A module that blocks the thread it runs on, as the names of its resources say.
import { execFileSync } from "node:child_process";
import { defineModule, describeKind, done } from "setpoint";
import type { Resource } from "setpoint";

const kind = describeKind({
  apiVersion: "blocking.example/v1",
  kind: "Thing",
  plural: "things",
  spec: { type: "object" },
});

const forMs = (ms: number): void => {
  const endMs = Date.now() + ms;
  while (Date.now() < endMs);
};

export default defineModule({
  name: "blocking",
  kinds: [
    {
      kind,
      reconciler: {
        reconcile: async ({ metadata }: Resource) => {
          await Promise.resolve();
          if (metadata.name === "for-ever") for (;;);
          if (metadata.name === "for-a-while") forMs(2_500);
          if (metadata.name === "outside") execFileSync("sleep", ["3"]);
          return done();
        },
        remove: async ({ metadata }: Resource) => {
          await Promise.resolve();
          if (metadata.name === "remove-for-ever") for (;;);
          return done();
        },
      },
    },
  ],
});
