// A module whose reconciler does what reconcilers should not do, as the names of its resources say.
import { setTimeout as delay } from "node:timers/promises";
import { defineModule, describeKind, done } from "setpoint";

const kind = describeKind({
  apiVersion: "careless.example/v1",
  kind: "Thing",
  plural: "things",
  spec: { type: "object" },
});

export default defineModule({
  name: "careless",
  kinds: [
    {
      kind,
      reconciler: {
        timeoutMs: 1_000,
        reconcile: async ({ metadata }, context) => {
          switch (metadata.name) {
            case "float":
              void Promise.reject(new Error("floating"));
              break;
            case "throw-late":
              setTimeout(() => {
                throw new Error("late");
              }, 50);
              break;
            case "patch-late":
              void delay(50).then(async () => await context.status.patch({ late: true }));
              break;
            case "throw-on-abort":
              context.signal.addEventListener("abort", () => {
                throw new Error("listener");
              });
              await delay(2_000);
              break;
            case "hang":
              setInterval(() => undefined, 1_000);
              await Promise.withResolvers<never>().promise;
              break;
            default:
          }
          return done();
        },
      },
    },
  ],
});
