// A module whose author has made mistakes: what it cannot show, and refusals that are none.
import {
  ArmActionRefused,
  defineModule,
  describeKind,
  done,
} from "../../src/authoring/setpoint.ts";

const spec = { type: "object", properties: { weight: { type: "integer" } } } as const;

export default defineModule({
  name: "clay",
  kinds: [
    {
      kind: describeKind({
        apiVersion: "clay.tests.dev/v1",
        kind: "Pot",
        plural: "pots",
        spec,
      }),
      reconciler: { reconcile: () => Promise.resolve(done()) },
      arm: {
        provider: "Example.Clay",
        awaitEndMs: 0,
        type: "pots",
        locations: ["West Europe"],
        versions: [
          {
            apiVersion: "2026-01-01",
            schema: spec,
            fromStored: ({ spec: stored }) => {
              if (stored["weight"] === 13) throw new Error("unlucky");
              return stored;
            },
          },
          { apiVersion: "2026-06-01", schema: spec },
        ],
        actions: [
          {
            name: "drop",
            perform: () => {
              throw new ArmActionRefused("Odd", "not at all", 99);
            },
          },
          {
            name: "praise",
            perform: () => {
              throw new ArmActionRefused("Odd", "all is well", 200);
            },
          },
          {
            name: "crush",
            perform: () => {
              throw new ArmActionRefused("It Broke\r\n", "into pieces");
            },
          },
        ],
      },
    },
  ],
});
