import assert from "node:assert/strict";
import { it } from "node:test";
import { currentActivity, during, factsOf } from "../../kernel/activity.ts";
import { namedHooks } from "./named-hooks.ts";

it("a hook is named with its module, inside of what called it", () => {
  const hook = (): object => factsOf(currentActivity());
  const entry = { point: "connect", module: "m", file: "/m.ts", value: [{ kind: "k", hook }] };
  const { value } = namedHooks(entry);
  const [named] = value as readonly { readonly hook: () => object }[];
  const request = { brief: () => "", facts: () => ({ activity: "request", user: "u" }) };
  assert.deepEqual(
    during(request, () => named?.hook()),
    { activity: "request", user: "u", hook: "connect[0].hook", module: "m" },
  );
  assert.deepEqual(named?.hook(), { activity: "hook", hook: "connect[0].hook", module: "m" });
});

it("an instance of a class keeps its methods", () => {
  class Face {
    readonly #type = "types";
    type(): string {
      return this.#type;
    }
  }
  const value = new Face();
  assert.equal(namedHooks({ point: "arm", module: "m", file: "/m.ts", value }).value, value);
});
