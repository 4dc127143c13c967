import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { isSetpointError } from "../../../kernel/errors.ts";
import { parseSearch } from "./search.ts";
import type { TextOf } from "./search.ts";

interface Sample {
  readonly name: string;
  readonly region: string;
  readonly owner: string;
}

const columns = new Map<string, TextOf<Sample>>([
  ["name", ({ name }) => name],
  ["region", ({ region }) => region],
  ["owner", ({ owner }) => owner],
]);
const web: Sample = { name: "web-1", region: "us-east-1", owner: "ann" };

const matches = (text: string, row: Sample = web): boolean => parseSearch(text, columns)(row);

function problemOf(text: string): { readonly position: unknown; readonly message: string } {
  try {
    parseSearch(text, columns);
  } catch (error) {
    assert.ok(isSetpointError(error, "fleet.search_invalid"), text);
    return { position: error.details["position"], message: error.message };
  }
  return assert.fail(`${text} was accepted`);
}

describe("a search", () => {
  it("selects every row when it is empty", () => {
    assert.ok(matches(""));
    assert.ok(matches("  "));
  });

  it("compares texts exactly, and ignores the case of columns and keywords", () => {
    for (const text of ["name = web-1", "NAME='web-1'", "name<>web", "Name liKe 'web%'"]) {
      assert.ok(matches(text), text);
    }
    for (const text of ["name = WEB-1", "name <> web-1", "name LIKE 'WEB%'"]) {
      assert.ok(!matches(text), text);
    }
  });

  it("has ILIKE, IN and NOT IN", () => {
    for (const text of ["name ILIKE 'WEB%'", "owner IN (bob, 'ann')", "owner not in(bob,carl)"]) {
      assert.ok(matches(text), text);
    }
    assert.ok(!matches("owner IN (bob)"));
    assert.ok(!matches("owner NOT IN (bob, ann)"));
  });

  it("binds AND more tightly than OR, and obeys parentheses", () => {
    assert.ok(matches("owner = ann OR owner = bob AND region = mars"));
    assert.ok(!matches("(owner = ann OR owner = bob) AND region = mars"));
    assert.ok(matches("((owner = ann))AND(region = us-east-1)"));
  });

  it("takes values in quotes, with escaped quotes and without any character", () => {
    const odd: Sample = { name: "it's (new)", region: "", owner: String.raw`a\b` };
    assert.ok(matches(String.raw`name = 'it\'s (new)'`, odd));
    assert.ok(matches("region = ''", odd));
    assert.ok(matches(String.raw`owner = 'a\b'`, odd));
    assert.ok(!matches("region = ''"));
  });

  it("takes keywords as values", () => {
    assert.ok(matches("name = and AND owner = or", { ...web, name: "and", owner: "or" }));
  });

  it("matches patterns by % and _, which a backslash makes literal", () => {
    const name = "a%b_c";
    const yes = ["%", "a%", "%c", "a%c", "a_b_c", String.raw`a\%b\_c`, "%%b%", "a%b%c"];
    const no = ["", "a", "b%", "%b", String.raw`a\%`, "a_c", "_", "a%b%cc"];
    for (const text of yes) assert.ok(matches(`name LIKE '${text}'`, { ...web, name }), text);
    for (const text of no) assert.ok(!matches(`name LIKE '${text}'`, { ...web, name }), text);
  });

  it("names what is wrong and its position, which counts from 1", () => {
    const cases: readonly (readonly [string, number, RegExp])[] = [
      ["colour = red", 1, /expected a column \(name, region, owner\), got "colour"/],
      ["name = a AND colour = red", 14, /expected a column/],
      ["name", 5, /expected an operator .* got the end/],
      ["name > a", 6, /no meaning/],
      ["name not = a", 6, /expected an operator .* got "not"/],
      ["name =", 7, /expected a value, got the end/],
      ["name = a b", 10, /expected AND, OR or the end, got "b"/],
      ["(name = a", 10, /expected \) for the \( at position 1/],
      ["name = a)", 9, /expected AND, OR or the end/],
      ["name = 'a", 8, /quote is not closed/],
      ["name IN a", 9, /expected \( after IN/],
      ["name IN ()", 10, /expected a value/],
      ["name IN (a b)", 12, /expected , or \)/],
      ["()", 2, /expected a column/],
      ["'name' = a", 1, /expected a column/],
      ["name = a AND", 13, /expected a column/],
    ];
    for (const [text, position, message] of cases) {
      const problem = problemOf(text);
      assert.equal(problem.position, position, text);
      assert.match(problem.message, message, text);
    }
  });

  it("has bounds", () => {
    const joined = (joins: number): string =>
      Array(joins + 1)
        .fill("name = a")
        .join(" OR ");
    assert.ok(!matches(joined(10)));
    assert.match(problemOf(joined(11)).message, /more than 10 AND and OR/);
    assert.match(problemOf(`${"(".repeat(21)}name = a`).message, /nested/);
    assert.match(problemOf(`name = ${"a".repeat(5_000)}`).message, /longer than/);
    const many = Array.from({ length: 501 }, (_, at) => `v${at}`).join(",");
    assert.match(problemOf(`name IN (${many})`).message, /more than 500 values/);
  });

  it("either is refused with its position or selects rows, whatever its text", () => {
    const pieces = ["name", "owner", "=", "<>", "LIKE", "IN", "NOT", "(", ")", ",", "'", "AND"];
    const piece = fc.oneof(fc.constantFrom(...pieces, "OR", "%", "--", ";"), fc.string());
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (parts) => {
        const text = parts.join(" ");
        try {
          parseSearch(text, columns)(web);
        } catch (error) {
          assert.ok(isSetpointError(error, "fleet.search_invalid"), String(error));
          const position = Number(error.details["position"]);
          assert.ok(position >= 1 && position <= text.length + 1, `${position} of ${text}`);
        }
      }),
    );
  });

  it("ends for a pattern with many wildcards, which a backtracking matcher would not", () => {
    const name = "a".repeat(20_000);
    assert.ok(!matches(`name LIKE '${"%a".repeat(100)}%b'`, { ...web, name }));
  });
});
