// Named formats: format.dns1123Label().validate("my-name") is empty when the text is good, and
// otherwise says what is wrong.

import { labelKeyProblems, labelValueProblems } from "../../labels.ts";
import { dnsLabelProblems, subdomainProblems, tooLong } from "../../names.ts";
import { limits } from "../../limits.ts";
import { formatCheck } from "../../schema/formats.ts";
import { fixed, walk } from "../costs.ts";
import { regexFactor, scale, traversalFactor } from "../estimates.ts";
import { declare, global, member } from "../functions.ts";
import type { FunctionDeclaration } from "../functions.ts";
import { parseRequestUrl } from "./go-url.ts";
import { sizeOf } from "../sizes.ts";
import { listType, optionalType, stringType, closedStructType } from "../types.ts";
import type { CelValue } from "../values.ts";
import { list, noneOptional, opaqueValues, optionalOf, textOf } from "../values.ts";

export const formatType = closedStructType("kubernetes.NamedFormat");

interface NamedFormat {
  readonly name: string;
  readonly problems: (text: string) => readonly string[];
  /** The length of the pattern that the check is taken to be. */
  readonly patternSize: number;
}

const { has, wrap, unwrap } = opaqueValues<NamedFormat>(formatType, (a, b) => a.name === b.name);

const dns1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";

function dns1035Problems(text: string): readonly string[] {
  const maxLength = limits.maxDnsLabelLength;
  const problems = text.length > maxLength ? [tooLong(maxLength)] : [];
  if (new RegExp(`^${dns1035}$`).test(text)) return problems;
  const syntax =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an " +
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', ";
  return [...problems, `${syntax}regex used for validation is '${dns1035}')`];
}

/** Names that are generated end with a dash, to which something is appended. */
function asPrefix(problems: NamedFormat["problems"]): NamedFormat["problems"] {
  return (text) => problems(text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text);
}

function qualifiedNameProblems(text: string): readonly string[] {
  if (text.split("/").length <= 2) return labelKeyProblems(text);
  return [
    "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start " +
      "and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', " +
      "regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional " +
      "DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
  ];
}

function checked(format: string, complaint: string): NamedFormat["problems"] {
  return (text) => (formatCheck(format)?.(text) === false ? [complaint] : []);
}

function uriProblems(text: string): readonly string[] {
  const parsed = parseRequestUrl(text);
  return parsed.kind === "problem" ? [parsed.message] : [];
}

const formats = new Map<string, NamedFormat>([
  ["dns1123Label", { name: "DNS1123Label", problems: dnsLabelProblems, patternSize: 30 }],
  ["dns1123Subdomain", { name: "DNS1123Subdomain", problems: subdomainProblems, patternSize: 60 }],
  ["dns1035Label", { name: "DNS1035Label", problems: dns1035Problems, patternSize: 30 }],
  ["qualifiedName", { name: "QualifiedName", problems: qualifiedNameProblems, patternSize: 60 }],
  [
    "dns1123LabelPrefix",
    { name: "DNS1123LabelPrefix", problems: asPrefix(dnsLabelProblems), patternSize: 30 },
  ],
  [
    "dns1123SubdomainPrefix",
    { name: "DNS1123SubdomainPrefix", problems: asPrefix(subdomainProblems), patternSize: 60 },
  ],
  [
    "dns1035LabelPrefix",
    { name: "DNS1035LabelPrefix", problems: asPrefix(dns1035Problems), patternSize: 30 },
  ],
  ["labelValue", { name: "LabelValue", problems: labelValueProblems, patternSize: 40 }],
  ["uri", { name: "URI", problems: uriProblems, patternSize: 1103 }],
  [
    "uuid",
    { name: "uuid", problems: checked("uuid", "does not match the UUID format"), patternSize: 70 },
  ],
  ["byte", { name: "byte", problems: checked("byte", "invalid base64"), patternSize: 84 }],
  ["date", { name: "date", problems: checked("date", "invalid date"), patternSize: 71 }],
  [
    "datetime",
    { name: "datetime", problems: checked("datetime", "invalid datetime"), patternSize: 71 },
  ],
]);

/** What the estimate takes for the longest pattern. */
const longestPattern = 128;

export const formatFunctions: readonly FunctionDeclaration[] = [
  ...Array.from(formats, ([name, format]) =>
    declare(`format.${name}`, [global(`format.${name}`, [], formatType, () => wrap(format))]),
  ),
  declare(
    "format.named",
    [
      global("format-named", [stringType], optionalType(formatType), (name) => {
        const format = formats.get(textOf(name));
        return format === undefined ? noneOptional : optionalOf(wrap(format));
      }),
    ],
    fixed(1),
  ),
  declare(
    "validate",
    [
      member(
        "format-validate",
        [formatType, stringType],
        optionalType(listType(stringType)),
        (format, text) => validate(unwrap(format), textOf(text)),
      ),
    ],
    {
      estimate: ({ args, sizeOf: size }) => {
        const [text] = args;
        if (text === undefined) return undefined;
        return { cost: scale(scale(size(text), traversalFactor), longestPattern * regexFactor) };
      },
      bill:
        () =>
        ([format = null, text = null]) =>
          has(format)
            ? walk(1 + sizeOf(text)) * Math.ceil(unwrap(format).patternSize * regexFactor)
            : 1,
    },
  ),
];

function validate(format: NamedFormat, text: string): CelValue {
  const problems = format.problems(text);
  return problems.length === 0 ? noneOptional : optionalOf(list(problems));
}
