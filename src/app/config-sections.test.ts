import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ConfigurationSection } from "../contract/configuration.ts";
import type { SetpointError } from "../kernel/errors.ts";
import { checkedSections, parsedOption } from "./config-sections.ts";

const fleet: ConfigurationSection = {
  key: "fleet",
  fields: {
    region: { type: "text", summary: "where it is", option: "--fleet-region <name>" },
    slots: {
      type: "number",
      summary: "how many",
      default: 3,
      problem: (value) => (Number(value) > 0 ? undefined : "must be above 0"),
    },
  },
};

describe("the sections of modules in the configuration", () => {
  it("are absent where no value is given, and complete where one is", () => {
    assert.deepEqual(checkedSections([fleet], {}, {}), {});
    assert.deepEqual(checkedSections([fleet], { fleet: {} }, {}), { fleet: { slots: 3 } });
    assert.deepEqual(checkedSections([fleet], {}, { fleetRegion: "north" }), {
      fleet: { slots: 3, region: "north" },
    });
  });

  it("take the value of an option before that of the file", () => {
    const file = { fleet: { region: "south", slots: 5 } };
    assert.deepEqual(checkedSections([fleet], file, { fleetRegion: "north" }), {
      fleet: { region: "north", slots: 5 },
    });
  });

  it("refuse a wrong value with the name of its field", () => {
    assert.throws(
      () => checkedSections([fleet], { fleet: { slots: 0 } }, {}),
      (error: SetpointError) =>
        error.code === "config.invalid" &&
        error.message === "fleet.slots must be above 0" &&
        error.details["option"] === "fleet.slots",
    );
  });

  it("read the text of an option by the type of its field", () => {
    assert.equal(parsedOption({ type: "number" }, "12", undefined), 12);
    assert.equal(parsedOption({ type: "flag" }, "false", undefined), false);
    assert.deepEqual(parsedOption({ type: "texts" }, "b, c", ["a"]), ["a", "b", "c"]);
    assert.equal(parsedOption({ type: "path" }, "a b", undefined), "a b");
  });
});
