// What a client may send at its largest costs time in proportion to its size. The same claims stand
// beside the code with smaller numbers; these would take too long among the unit tests. The limits
// are of processor time and generous: what is linear takes a tenth, what is not takes minutes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { signatureKeys } from "../src/adapters/git/verify-commit.ts";
import { parseDuration } from "../src/kernel/cel/time.ts";
import { parseSchemaDuration } from "../src/kernel/cel/schema-times.ts";
import { isSetpointError } from "../src/kernel/errors.ts";
import { shownFieldPath } from "../src/kernel/hidden-values.ts";
import { limits } from "../src/kernel/limits.ts";
import type { Metadata, Resource } from "../src/kernel/resource.ts";
import { compileSchema } from "../src/kernel/schema/compile.ts";
import { formatCheck } from "../src/kernel/schema/formats.ts";
import { validateValue } from "../src/kernel/schema/validate.ts";
import { withoutTrailing } from "../src/kernel/trailing.ts";
import { parseYaml } from "../src/kernel/yaml.ts";
import { droppedRules } from "../src/intents/admission/hidden-field-guard.ts";
import { conversionErrors } from "../src/intents/kinds/definition-conversion-check.ts";
import { metadataErrors, resourceNameProblems } from "../src/intents/write/metadata-check.ts";
import { checkTimeout } from "../src/surfaces/kube/request-timeout.ts";

function inLittleTime(run: () => void): void {
  const before = process.cpuUsage();
  run();
  const seconds = process.cpuUsage(before).user / 1_000_000;
  assert.ok(seconds < 15, `${seconds} s`);
}

test("the largest texts in YAML are read in linear time", () => {
  const keys = Array.from({ length: 30_000 }, (_, index) => `k${index}: v`).join("\n");
  const json = JSON.stringify(Array.from({ length: 400_000 }, () => "a"));
  inLittleTime(() => {
    assert.equal(Object.keys(parseYaml(keys).value ?? {}).length, 30_000);
    parseYaml(`[${"a,".repeat(200_000)}a]`);
    assert.throws(() => parseYaml(`[${",".repeat(500_000)}]`), { code: "request.invalid" });
    assert.throws(() => parseYaml(`a: 1\n${"]".repeat(500_000)}`), { code: "request.invalid" });
    assert.equal(Object.keys(parseYaml(json).value ?? []).length, 400_000);
  });
});

test("200,000 bad annotations and 1,000 controllers are judged in linear time", () => {
  const bad = Array.from({ length: 200_000 }, (_, index) => [`bad key ${index}`, "v"] as const);
  const owners = Array.from({ length: limits.maxOwnerReferences }, (_, index) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name: `n${index}`,
    uid: `u${index}`,
    controller: true,
  }));
  const problems = (given: object): number => {
    const metadata = { name: "x", namespace: "default", ...given } as unknown as Metadata;
    return metadataErrors(metadata, { isNamespaced: true, nameProblems: resourceNameProblems })
      .length;
  };
  inLittleTime(() => {
    assert.equal(problems({ annotations: Object.fromEntries(bad) }), 200_001);
    assert.equal(problems({ ownerReferences: owners }), 999);
  });
});

test("a document with 200,000 errors is judged in linear time", () => {
  const list = Array.from({ length: 200_000 }, () => 0);
  const schema = compileSchema({
    type: "array",
    anyOf: [{ items: { type: "integer", minimum: 1 } }],
    items: { type: "integer" },
  });
  inLittleTime(() => assert.equal(validateValue(schema, list).length, limits.maxSchemaErrors + 1));
});

test("a definition with 200,000 review versions is judged in linear time", () => {
  const conversionReviewVersions = Array.from({ length: 200_000 }, (_, index) => `v${index}`);
  const clientConfig = { url: "https://example.dev/convert" };
  const conversion = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions } };
  inLittleTime(() => {
    const check = { mayHaveBadCaBundle: true };
    assert.deepEqual(conversionErrors(conversion, "spec.conversion", check), []);
  });
});

test("20,000 hidden fields of a definition are compared in linear time", () => {
  const definition = (type: string): Resource => {
    const field = { type, "x-setpoint-field-rule": "secret" };
    const fields = Array.from({ length: 20_000 }, (_, index) => [`f${index}`, field]);
    const spec = { type: "object", properties: Object.fromEntries(fields) as object };
    const openAPIV3Schema = { type: "object", properties: { spec } };
    const versions = [{ name: "v1", schema: { openAPIV3Schema } }];
    return { metadata: { name: "x" }, spec: { versions } } as unknown as Resource;
  };
  const bare = { metadata: { name: "x" }, spec: { versions: [] } } as unknown as Resource;
  inLittleTime(() => {
    assert.deepEqual(droppedRules(definition("string"), definition("object")), []);
    assert.equal(droppedRules(definition("string"), bare).length, 20_000);
  });
});

test("texts of 1,000,000 characters are held against formats in linear time", () => {
  const formats = ["email", "duration", "date-time", "hostname", "uri", "ipv6", "cidr", "mac"];
  const parts = [
    "1",
    " ",
    "(",
    "( ",
    "a ",
    "a.",
    "a-",
    '"',
    '"a" ',
    "<",
    "@",
    ":",
    "1h",
    "1.",
    "/%",
  ];
  inLittleTime(() => {
    for (const format of formats) {
      const check = formatCheck(format);
      for (const part of parts) {
        const text = part.repeat(1_000_000 / part.length);
        for (const end of ["", "!", "<a@b>"]) check?.(`a${text}${end}`);
        check?.(`${text}x`);
        check?.(text);
      }
    }
  });
});

test("texts of 1,000,000 characters are converted by CEL and by URLs in linear time", () => {
  const parts = ["1", "0", "1.", " ", "1h", "/", ".", "a"];
  inLittleTime(() => {
    for (const part of parts) {
      const long = part.repeat(1_000_000 / part.length);
      for (const text of [long, `${long}x`, `a${long}x`, `1.${long}s`]) {
        parseDuration(text);
        parseSchemaDuration(text);
        withoutTrailing(text, "/ ");
        try {
          checkTimeout(new URLSearchParams({ timeout: text }));
        } catch (error) {
          assert.ok(isSetpointError(error, "request.invalid"));
        }
      }
    }
  });
});

test("a path of 1,000,000 characters is compared with hidden fields in linear time", () => {
  const kind = {
    fieldRules: [
      { rule: "secret", segments: ["spec", "*", "*", "*", "password"] },
      { rule: "secret", segments: ["spec", "list", "*", "token"] },
    ],
  } as unknown as Parameters<typeof shownFieldPath>[0];
  inLittleTime(() => {
    for (const part of [".", "a.", "password.", "list."]) {
      for (const start of ["spec.", "spec.list.", "status."]) {
        shownFieldPath(kind, `${start}${part.repeat(1_000_000 / part.length)}x`);
        shownFieldPath(kind, `${start}${part.repeat(500 / part.length)}x`);
      }
    }
  });
  assert.equal(shownFieldPath(kind, `spec.${"a.".repeat(600)}x`), "spec");
  const short = `spec.${"a.".repeat(3)}x`;
  assert.equal(shownFieldPath(kind, short), short);
});

test("public keys that begin 60,000 times and never end are read in linear time", () => {
  const start = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n";
  const key = `${start}abc\n-----END PGP PUBLIC KEY BLOCK-----`;
  inLittleTime(() => {
    assert.deepEqual(signatureKeys([`${key}\n${key}${start.repeat(60_000)}`]).openPgp, [key, key]);
    assert.equal(signatureKeys([start.repeat(60_000)]).openPgp.length, 0);
  });
});
