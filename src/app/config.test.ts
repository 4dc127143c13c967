import assert from "node:assert/strict";
import { resolve } from "node:path";
import { describe, it } from "node:test";
import { isSetpointError } from "../kernel/errors.ts";
import { serveConfig, storeConfig, storeLabel } from "./config.ts";

describe("configuration", () => {
  it("is complete without any option", () => {
    const config = serveConfig({});
    assert.deepEqual(config.listen, { host: "127.0.0.1", port: 7443 });
    assert.deepEqual(config.store, { kind: "sqlite", path: resolve("setpoint-data/setpoint.db") });
    assert.equal(config.keyFile, resolve("setpoint-data/keys.json"));
  });

  it("takes an empty text for one that was left out", () => {
    assert.deepEqual(serveConfig({ data: "", store: "", keys: "", listen: "" }), serveConfig({}));
    assert.equal(storeConfig({ data: "/d", store: "sqlite:/b.db" }).keyFile, "/d/keys.json");
  });

  it("reads addresses of both families", () => {
    assert.deepEqual(serveConfig({ listen: "[::1]:0" }).listen, { host: "::1", port: 0 });
    assert.deepEqual(serveConfig({ listen: "localhost:80" }).listen, {
      host: "localhost",
      port: 80,
    });
  });

  it("names the option that is wrong", () => {
    for (const listen of ["7443", ":7443", "a:b", "h:70000", "::1:80"]) {
      assert.throws(
        () => serveConfig({ listen }),
        (error) => isSetpointError(error, "config.invalid") && error.details["option"] === "listen",
      );
    }
    for (const store of ["sqlite:", "mysql://x", "postgres:/x"]) {
      assert.throws(
        () => storeConfig({ store }),
        (error) => isSetpointError(error, "config.invalid") && error.details["option"] === "store",
      );
    }
  });

  it("asks for a password to be encoded where it would be torn, and shows no part of it", () => {
    for (const password of ["p@zz", "p#zz", "12#zz", "12/zz", "p/zz", "12?z@zz", "p?zz"]) {
      const store = `postgres://user:${password}@host:5432/db`;
      assert.throws(
        () => storeConfig({ store }),
        (error) =>
          isSetpointError(error, "config.invalid") &&
          error.suggestion?.includes("%40 for @") === true &&
          !JSON.stringify(error).includes("zz"),
        password,
      );
    }
    const fine = "postgres://user:p%40ss@host:5432/db?options=a@b";
    assert.deepEqual(storeConfig({ store: fine }).store, { kind: "postgres", url: fine });
  });

  it("never shows a password", () => {
    const label = storeLabel({
      kind: "postgres",
      url: "postgres://user:pass-word@host/db?password=pass-word",
    });
    assert.ok(!label.includes("pass-word"));
    assert.ok(label.includes("user"));
  });
});
