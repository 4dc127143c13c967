// A schema with one of everything that expressions can meet, and a document for it; for tests.

import type { JsonObject } from "../json.ts";

export const schema: JsonObject = {
  type: "object",
  properties: {
    a: { type: "integer" },
    i: { type: "integer" },
    t: { type: "boolean" },
    u: { type: "boolean" },
    s: { type: "string" },
    o: { type: "object", properties: { b: { type: "string" }, zz: { type: "string" } } },
    o2: { type: "object", properties: { b: { type: "string" } } },
    m: { type: "object", additionalProperties: { type: "string" } },
    l: { type: "array", items: { type: "string" } },
    dd: { type: "string", format: "duration" },
    ts: { type: "string", format: "date-time" },
    ios: { "x-kubernetes-int-or-string": true },
    n: { type: "number" },
    by: { type: "string", format: "byte" },
    d: { type: "string", format: "date" },
    nul: { type: "string", nullable: true },
    nm: { type: "object", additionalProperties: { type: "string", nullable: true } },
    set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "integer" } },
    ml: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: {
        type: "object",
        required: ["k"],
        properties: { k: { type: "string" }, v: { type: "integer" } },
      },
    },
    "a-b": { type: "integer" },
    namespace: { type: "string" },
    "x.y": { type: "string" },
    pu: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    ll: {
      type: "array",
      maxItems: 5,
      items: { type: "array", maxItems: 3, items: { type: "string", maxLength: 10 } },
    },
    en: { type: "string", enum: ["aa", "bbbb"] },
    lo: {
      type: "array",
      items: {
        type: "object",
        properties: {
          name: { type: "string" },
          ports: { type: "array", items: { type: "integer" } },
        },
      },
    },
    mo: {
      type: "object",
      additionalProperties: { type: "object", properties: { x: { type: "integer" } } },
    },
  },
};

export const document: JsonObject = {
  i: 1,
  t: true,
  u: false,
  s: "aaa",
  o: { b: "bb" },
  o2: { b: "cc" },
  m: { k: "vv" },
  l: ["aa", "ab"],
  ts: "2021-01-01T00:00:00Z",
  ios: "50%",
  n: 1.5,
  by: "aGVsbG8=",
  d: "2020-02-03",
  nul: null,
  nm: { a: null, b: "x" },
  set: [1, 2, 3],
  ml: [
    { k: "a", v: 1 },
    { k: "b", v: 2 },
  ],
  "a-b": 7,
  namespace: "ns",
  "x.y": "xy",
  pu: { foo: 1 },
  ll: [["a", "b"], ["c"]],
  en: "aa",
  lo: [{ name: "x", ports: [1, 2] }, { name: "y" }],
  mo: { q: { x: 3 } },
  dd: "1h30m",
};
