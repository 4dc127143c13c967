import { test } from "node:test";
import { equal } from "node:assert/strict";
import { integer, objectIdentifier, octetString, time } from "./der.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

test("numbers have no needless zeros and never look negative", () => {
  equal(hex(integer(Buffer.of(0))), "020100");
  equal(hex(integer(Buffer.of(0, 0, 5))), "020105");
  equal(hex(integer(Buffer.of(0x80))), "02020080");
});

test("identifiers use seven bits a byte", () => {
  equal(hex(objectIdentifier("1.2.840.10045.4.3.2")), "06082a8648ce3d040302");
});

test("lengths from 128 on say how many bytes they take", () => {
  equal(hex(octetString(Buffer.alloc(127))).slice(0, 4), "047f");
  equal(hex(octetString(Buffer.alloc(128))).slice(0, 6), "048180");
  equal(hex(octetString(Buffer.alloc(70_000))).slice(0, 10), "0483011170");
});

test("times change their form in 2050", () => {
  equal(
    time(Date.UTC(2049, 11, 31, 23, 59, 59))
      .toString("latin1")
      .slice(2),
    "491231235959Z",
  );
  equal(
    time(Date.UTC(2050, 0, 1))
      .toString("latin1")
      .slice(2),
    "20500101000000Z",
  );
});
