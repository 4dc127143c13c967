// The style guide as a test. Each rule first proves on samples that it still objects to what it
// should and to nothing else; then it reads the repository. Exceptions are in tidy/exceptions.ts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { errorsPage, renderErrorsPage } from "../tools/errors-doc.ts";
import { clientTypes, renderClientTypes } from "../tools/client/write.ts";
import { renderRestPage, restPage } from "../tools/rest-doc.ts";
import { root } from "../tools/stages.ts";
import { seed } from "./seed.ts";
import { bugs } from "./simulation/bugs.ts";
import { callRules } from "./tidy/calls.ts";
import { consoleRules } from "./tidy/console.ts";
import { databaseRules } from "./tidy/database-functions.ts";
import { documentRules } from "./tidy/documents.ts";
import { exceptions } from "./tidy/exceptions.ts";
import { languageRules, refusal } from "./tidy/language.ts";
import { layerRules } from "./tidy/layers.ts";
import { moduleRules } from "./tidy/modules.ts";
import { sizeRules } from "./tidy/sizes.ts";
import { readRepository } from "./tidy/source.ts";
import type { Rule } from "./tidy/source.ts";

const rules: readonly Rule[] = [
  ...layerRules,
  ...consoleRules,
  ...moduleRules,
  ...callRules,
  ...sizeRules,
  ...documentRules,
  ...databaseRules,
  ...languageRules,
];
const repository = readRepository();

for (const rule of rules) {
  describe(rule.name, () => {
    test("objects to every bad sample and to no good one", () => {
      for (const samples of rule.isJoint === true ? [rule.bad] : rule.bad.map((one) => [one])) {
        const paths = samples.map(({ path }) => path).join(", ");
        assert.notDeepEqual(rule.find(samples), [], `not objected to: ${paths}`);
      }
      assert.deepEqual(rule.find(rule.good), []);
    });

    test("holds in the repository", () => {
      const excused = exceptions.filter((exception) => exception.rule === rule.name);
      const found = rule
        .find(repository)
        .filter(({ path }) => !excused.some((exception) => exception.path === path));
      assert.deepEqual(
        found.map(({ path, line, message }) => `${path}:${line} ${message}`),
        [],
      );
    });
  });
}

test("every exception names a rule, gives a reason and is still needed", () => {
  for (const { rule: name, path, reason } of exceptions) {
    const rule = rules.find((candidate) => candidate.name === name);
    assert.ok(rule !== undefined, `there is no rule called ${name}`);
    assert.ok(reason.length > 10, `${path}: say why`);
    const isNeeded = rule.find(repository).some((violation) => violation.path === path);
    assert.ok(isNeeded, `${path} no longer needs its exception from: ${name}`);
  }
});

test("the baseline of banned words may shrink and follow a moved file, and never rise", () => {
  assert.equal(refusal({ "a.ts": 2, "b.ts": 1 }, { "a.ts": 2 }), undefined);
  assert.equal(refusal({ "a.ts": 2 }, { "moved/a.ts": 2 }), undefined);
  assert.match(refusal({ "a.ts": 2 }, { "a.ts": 2, "new.ts": 1 }) ?? "", /new\.ts: 1, was 0/);
});

test("every property begins with the seed of tests/seed.ts", () => {
  assert.equal(fc.readConfigureGlobal().seed, seed);
});

test("the page of errors is the catalogue's", () => {
  const page = readFileSync(join(root, errorsPage), "utf8");
  assert.equal(page, renderErrorsPage(), "run `npm run docs`");
});

test("the page of the REST API has the tables of its routes", async () => {
  const page = readFileSync(join(root, restPage), "utf8");
  assert.equal(page, await renderRestPage(page), "run `npm run docs`");
});

test("the types of setpoint/client are those of the routes", async () => {
  const types = readFileSync(join(root, clientTypes), "utf8");
  assert.equal(types, await renderClientTypes(), "run `npm run docs`");
});

test("the README shows examples/hello/hello.ts as it is", () => {
  const module = readFileSync(join(root, "examples/hello/hello.ts"), "utf8");
  assert.ok(
    readFileSync(join(root, "README.md"), "utf8").includes(`\n\`\`\`ts\n${module}\`\`\`\n`),
  );
});

test("every bug that is planted for the simulator finds the phrase that it replaces", () => {
  for (const { name, file, find } of bugs) {
    const source = repository.find(
      ({ path }) => path.startsWith("src/engine/") && path.endsWith(`/${file}`),
    );
    const isThere = source?.text.includes(find) === true;
    assert.ok(isThere, `${file} has changed: let ${name} in tests/simulation/bugs.ts follow`);
  }
});
