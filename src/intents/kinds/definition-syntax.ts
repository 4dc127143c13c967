// The syntax of the names in a definition. Plurals and versions become part of URLs and DNS names,
// so they are labels of RFC 1035, which start with a letter.

import { dns1035LabelProblems } from "../builtin/syntax-checks.ts";

/** What is wrong with a label, as one text; undefined when nothing is. */
export function labelProblem(name: string): string | undefined {
  const problems = dns1035LabelProblems(name);
  return problems.length === 0 ? undefined : problems.join(",");
}
