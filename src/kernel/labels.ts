// The syntax of label keys, label values and annotation keys, as Kubernetes defines it: a key is
// an optional DNS prefix, a slash, and a name of at most 63 characters. Checks return sentences
// about what is wrong; an empty list means good.

import { limits } from "./limits.ts";
import { subdomainProblems, tooLong } from "./names.ts";

const word = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const wordPattern = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const syntax =
  "consist of alphanumeric characters, '-', '_' or '.', " +
  "and must start and end with an alphanumeric character";

export function labelKeyProblems(key: string): readonly string[] {
  const slash = key.indexOf("/");
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  const name = key.slice(slash + 1);
  const problems: string[] = [];
  if (name.includes("/")) {
    return [
      `a qualified name must ${syntax} (e.g. 'MyName',  or 'my.name',  or '123-abc', ` +
        `regex used for validation is '${word}') with an optional DNS subdomain prefix and '/' ` +
        "(e.g. 'example.com/MyName')",
    ];
  }
  if (prefix === "") problems.push("prefix part must be non-empty");
  else if (prefix !== undefined) {
    for (const problem of subdomainProblems(prefix)) problems.push(`prefix part ${problem}`);
  }
  if (name === "") problems.push("name part must be non-empty");
  else if (name.length > limits.maxLabelNameLength) {
    problems.push(`name part ${tooLong(limits.maxLabelNameLength)}`);
  }
  if (!wordPattern.test(name)) {
    problems.push(
      `name part must ${syntax} (e.g. 'MyName',  or 'my.name',  or '123-abc', ` +
        `regex used for validation is '${word}')`,
    );
  }
  return problems;
}

export function labelValueProblems(value: string): readonly string[] {
  if (value.length > limits.maxLabelValueLength) return [tooLong(limits.maxLabelValueLength)];
  if (value === "" || wordPattern.test(value)) return [];
  return [
    `a valid label must be an empty string or ${syntax} (e.g. 'MyValue',  or 'my_value',  ` +
      `or '12345', regex used for validation is '(${word})?')`,
  ];
}
