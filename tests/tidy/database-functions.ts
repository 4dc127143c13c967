// Which functions of the database are current, and where: the table in the README is for people, so
// it must not lag behind the migrations. A function is current when the code calls it, or when a
// current function does.
import { source, violationAt } from "./source.ts";
import type { Rule, Source, Violation } from "./source.ts";

const folder = "src/store/postgres";
const readme = `${folder}/README.md`;

export const databaseRules: readonly Rule[] = [
  {
    name: "the table of the database's functions names those that are current",
    find: findings,
    isJoint: true,
    bad: [
      source(`${folder}/a.ts`, "const text = `SELECT a_v2(1)`;"),
      source(`${folder}/migrations/0001_a.sql`, "CREATE FUNCTION a_v1() AS $$ $$;"),
      source(`${folder}/migrations/0002_b.sql`, "CREATE FUNCTION a_v2() AS $$ $$;"),
      source(readme, "| `a_v1` | 0001_a | does it |\n"),
    ],
    good: [
      source(`${folder}/a.ts`, "const text = `SELECT a_v2(1)`;"),
      source(
        `${folder}/migrations/0001_a.sql`,
        "CREATE FUNCTION a_v1() AS $$ $$; CREATE FUNCTION b_v1() AS $$ $$;",
      ),
      source(`${folder}/migrations/0002_b.sql`, "CREATE FUNCTION a_v2() AS $$ SELECT b_v1() $$;"),
      source(readme, "| `a_v2` | 0002_b | does it |\n| `b_v1` | 0001_a | helps |\n"),
    ],
  },
];

interface Defined {
  readonly migration: string;
  readonly calls: readonly string[];
}

function findings(sources: readonly Source[]): readonly Violation[] {
  const page = sources.find(({ path }) => path === readme);
  if (page === undefined) return [];
  const expected = new Set(currentRows(sources));
  const rows = tableRows(page);
  const stale = rows.filter(({ row }) => !expected.has(row));
  const told = new Set(rows.map(({ row }) => row));
  return [
    ...stale.map(({ row, index }) => violationAt(page, index, `is not current: ${row}`)),
    ...[...expected.difference(told)].map((row) => violationAt(page, 0, `lacks: ${row}`)),
  ];
}

/** Each current function and its migration. */
function currentRows(sources: readonly Source[]): readonly string[] {
  const defined = definitions(sources);
  const code = sources.filter(({ path }) => path.startsWith(`${folder}/`) && path.endsWith(".ts"));
  const current = new Set(code.flatMap(({ text }) => callsIn(text)));
  // A set that grows while it is gone through: what is added comes later.
  for (const name of current) {
    for (const called of defined.get(name)?.calls ?? []) current.add(called);
  }
  return [...current].map((name) => `${name} ${defined.get(name)?.migration ?? "nowhere"}`);
}

/** The newest definition of each function. */
function definitions(sources: readonly Source[]): ReadonlyMap<string, Defined> {
  const defined = new Map<string, Defined>();
  for (const { path, text } of sources) {
    const migration = new RegExp(`^${folder}/migrations/(.+)\\.sql$`).exec(path)?.[1];
    if (migration === undefined) continue;
    for (const part of text.split(/CREATE (?:OR REPLACE )?FUNCTION /).slice(1)) {
      const name = /^\w+/.exec(part)?.[0];
      if (name !== undefined) defined.set(name, { migration, calls: callsIn(part) });
    }
  }
  return defined;
}

function callsIn(text: string): readonly string[] {
  return [...text.matchAll(/\b([a-z_]+_v\d+)\(/g)].map((match) => match[1] ?? "");
}

function tableRows(page: Source): readonly { readonly row: string; readonly index: number }[] {
  return [...page.text.matchAll(/^\| (`.+`) \| (\w+) \|/gm)].flatMap((line) =>
    [...(line[1] ?? "").matchAll(/`(\w+)`/g)].map((name) => ({
      row: `${name[1] ?? ""} ${line[2] ?? ""}`,
      index: line.index,
    })),
  );
}
