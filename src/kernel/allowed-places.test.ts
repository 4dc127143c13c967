import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cidrProblem, isAddressAllowed } from "./allowed-places.ts";

describe("places that administrators allow", () => {
  it("are ranges of addresses and names of hosts", () => {
    const places = { cidrs: ["10.1.0.0/16", "fd00::/8"], hosts: ["git.internal"] };
    assert.equal(isAddressAllowed(places, "10.1.2.3", "a.example"), true);
    assert.equal(isAddressAllowed(places, "fd12::1", "a.example"), true);
    assert.equal(isAddressAllowed(places, "127.0.0.1", "GIT.internal"), true);
    assert.equal(isAddressAllowed(places, "93.184.215.14", "a.example"), true, "public");
    assert.equal(isAddressAllowed(places, "10.2.0.1", "a.example"), false);
    assert.equal(isAddressAllowed(places, "not an address", "a.example"), false);
  });

  it("have valid ranges", () => {
    assert.equal(cidrProblem("10.0.0.0/8"), undefined);
    assert.equal(cidrProblem("fd00::/8"), undefined);
    for (const wrong of ["10.0.0.0", "10.0.0.0/33", "a/8", "fd00::/129"]) {
      assert.notEqual(cidrProblem(wrong), undefined, wrong);
    }
  });
});
