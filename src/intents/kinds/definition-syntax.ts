// The syntax of the names in a definition. Plurals and versions become part of URLs and DNS names,
// so they are labels of RFC 1035, which start with a letter.

import { limits } from "../../kernel/limits.ts";

const label = "[a-z]([-a-z0-9]*[a-z0-9])?";
const labelPattern = new RegExp(`^${label}$`);

/** What is wrong with a label, as one text; undefined when nothing is. */
export function labelProblem(name: string): string | undefined {
  const problems: string[] = [];
  if (Buffer.byteLength(name) > limits.maxDnsLabelLength) {
    problems.push(`must be no more than ${limits.maxDnsLabelLength} characters`);
  }
  if (!labelPattern.test(name)) {
    problems.push(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an " +
        "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or " +
        `'abc-123', regex used for validation is '${label}')`,
    );
  }
  return problems.length === 0 ? undefined : problems.join(",");
}
