import assert from "node:assert/strict";
import { resolve } from "node:path";
import { describe, it } from "node:test";
import { isSetpointError } from "../kernel/errors.ts";
import { engineConfig } from "./engine-config.ts";
import type { EngineOptions } from "./engine-config.ts";
import type { ConfigFile } from "./config-file.ts";

describe("the configuration of the engine", () => {
  it("runs reconcilers unless told otherwise", () => {
    assert.deepEqual(engineConfig({}, {}), {
      modules: [],
      isWorker: true,
      slots: undefined,
      perNamespace: undefined,
      leaseMs: undefined,
      graceMs: 10_000,
    });
    assert.equal(engineConfig({ roles: "api" }, {}).isWorker, false);
    assert.equal(engineConfig({ roles: "api, worker" }, {}).isWorker, true);
    assert.equal(engineConfig({ roles: "" }, { roles: ["api"] }).isWorker, false);
  });

  it("takes from the file what the command line does not say", () => {
    const engine = { slots: 8, perNamespace: 2, lease: "1m", grace: "5s" };
    const file = { modules: ["/etc/a.ts"], engine };
    assert.deepEqual(engineConfig({}, file), {
      modules: ["/etc/a.ts"],
      isWorker: true,
      slots: 8,
      perNamespace: 2,
      leaseMs: 60_000,
      graceMs: 5_000,
    });
    const typed = engineConfig({ module: ["b.ts"], slots: "3" }, file);
    assert.deepEqual(typed.modules, [resolve("b.ts")]);
    assert.equal(typed.slots, 3);
  });

  it("isolates modules where the command line or the file says so", () => {
    const engine = { isolate: true, moduleBlocked: "2s" };
    assert.deepEqual(engineConfig({}, { engine }).isolation, { blockedMs: 2_000 });
    assert.equal(engineConfig({ isolate: false }, { engine }).isolation, undefined);
    assert.deepEqual(engineConfig({ isolate: true }, {}).isolation, { blockedMs: 5_000 });
  });

  it("names what is wrong", () => {
    const cases: readonly [EngineOptions, ConfigFile, string][] = [
      [{ roles: "api,wroker" }, {}, "roles"],
      [{ roles: "," }, {}, "roles"],
      [{ slots: "0" }, {}, "slots"],
      [{ slots: "many" }, {}, "slots"],
      [{}, { engine: { perNamespace: 1.5 } }, "engine.perNamespace"],
      [{}, { engine: { lease: "1s" } }, "engine.lease"],
      [{}, { engine: { lease: "1h" } }, "engine.lease"],
      [{}, { engine: { grace: "11m" } }, "engine.grace"],
    ];
    for (const [options, file, option] of cases) {
      assert.throws(
        () => engineConfig(options, file),
        (error) => isSetpointError(error, "config.invalid") && error.details["option"] === option,
      );
    }
  });

  it("quotes a count that is not a number as the user wrote it", () => {
    assert.throws(
      () => engineConfig({ slots: "many" }, {}),
      /--slots many is not an integer from 1 to 10000/,
    );
  });
});
