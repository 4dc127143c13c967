// A module whose work is over in a moment, for the tests of requests that are answered with the
// end: moments, of which some are held until the annotation tests.dev/go, some go on in steps and
// some fail. Taking them back is work, so a run begins with a change of its own. Their requests are
// kept so long that only a server which stands still would not make it. The others are the same,
// but requests for hours are kept as long as a face says by default, and those for nevers not at
// all; deadlines soon take too long, and what secrets have become their face cannot show.
import { again, defineModule, describeKind, done, failed } from "../../src/authoring/setpoint.ts";
import type {
  ArmFaceOfKind,
  Context,
  JsonObject,
  ModuleKind,
  Outcome,
  Resource,
  StoredParts,
} from "../../src/authoring/setpoint.ts";

const spec = {
  type: "object",
  properties: { size: { type: "integer" }, mode: { type: "string" } },
} as const;
const status = { type: "object", properties: { shown: { type: "string" } } } as const;

async function reconcile(resource: Resource, context: Context): Promise<Outcome> {
  const { size = 0, mode } = (resource.spec ?? {}) as { size?: number; mode?: string };
  if (mode === "broken") return failed("Broken", "it has a crack", { retry: "never" });
  if (mode === "steps") {
    const steps = ["one", "two", "three"].map((name) => ({ name, run: () => Promise.resolve() }));
    await context.perform({ name: "walk", steps });
  }
  const isHeld = mode === "held" && resource.metadata.annotations?.["tests.dev/go"] !== "true";
  return isHeld ? again(20, { message: "held" }) : done({ status: { shown: `size ${size}` } });
}

function fromStored({ spec: stored, status: told }: StoredParts): JsonObject {
  if (told["shown"] !== undefined) throw new Error("nobody is told");
  return stored;
}

function moment(kind: string, plural: string, face: Partial<ArmFaceOfKind>): ModuleKind {
  const apiVersion = "moments.tests.dev/v1";
  return {
    kind: describeKind({ apiVersion, kind, plural, spec, status }),
    reconciler: { reconcile, remove: () => Promise.resolve(done()) },
    arm: {
      provider: "Example.Moments",
      type: plural,
      locations: ["West Europe"],
      versions: [{ apiVersion: "2026-01-01" }],
      ...face,
    },
  };
}

export default defineModule({
  name: "moments",
  kinds: [
    moment("Moment", "moments", { awaitEndMs: 5_000 }),
    moment("Hour", "hours", {}),
    moment("Never", "nevers", { awaitEndMs: 0 }),
    moment("Deadline", "deadlines", { awaitEndMs: 5_000, operationTimeoutMs: 2_000 }),
    moment("Secret", "secrets", {
      awaitEndMs: 5_000,
      versions: [{ apiVersion: "2026-01-01", fromStored }],
    }),
  ],
});
