import assert from "node:assert/strict";
import { it } from "node:test";
import { isSpecialAddress } from "./special-address.ts";

it("private, loopback and translated addresses are special, and public ones are not", () => {
  const special = ["127.0.0.1", "10.1.2.3", "169.254.169.254", "192.168.0.1", "0.0.0.0", "::1"];
  const inside = [
    "::ffff:127.0.0.1",
    "::ffff:a00:1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "fe80::1",
  ];
  for (const address of [...special, ...inside, "fd00::1", "224.0.0.1", "localhost", ""]) {
    assert.ok(isSpecialAddress(address), address);
  }
  for (const address of ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111"]) {
    assert.ok(!isSpecialAddress(address), address);
  }
});
