// Parts of URLs: url("https://example.com:80/a?b=c").getHost().

import { fixed, sameSize, traversal } from "../costs.ts";
import { declare, global, member } from "../functions.ts";
import type { FunctionDeclaration } from "../functions.ts";
import { hostname, parseRequestUrl, port, queryValues } from "./go-url.ts";
import type { GoUrl } from "./go-url.ts";
import { mapBuilder } from "../maps.ts";
import { boolType, listType, mapType, stringType, closedStructType } from "../types.ts";
import type { CelType } from "../types.ts";
import type { CelValue } from "../values.ts";
import { error, list, opaqueValues, textOf } from "../values.ts";

export const urlType = closedStructType("kubernetes.URL");

const { wrap, unwrap } = opaqueValues<GoUrl>(urlType, (a, b) => a.text === b.text);

function accessor(
  name: string,
  id: string,
  result: CelType,
  run: (url: GoUrl) => CelValue,
): FunctionDeclaration {
  return declare(name, [member(id, [urlType], result, (value) => run(unwrap(value)))], fixed(1));
}

export const urlFunctions: readonly FunctionDeclaration[] = [
  declare(
    "url",
    [
      global("string_to_url", [stringType], urlType, (text) => {
        const parsed = parseRequestUrl(textOf(text));
        if (parsed.kind === "url") return wrap(parsed.url);
        return error(`URL parse error during conversion from string: ${parsed.message}`);
      }),
    ],
    traversal(1, sameSize),
  ),
  accessor("getScheme", "url_get_scheme", stringType, ({ scheme }) => scheme),
  accessor("getHost", "url_get_host", stringType, ({ host }) => host),
  accessor("getHostname", "url_get_hostname", stringType, hostname),
  accessor("getPort", "url_get_port", stringType, port),
  accessor("getEscapedPath", "url_get_escaped_path", stringType, ({ escapedPath }) => escapedPath),
  accessor("getQuery", "url_get_query", mapType(stringType, listType(stringType)), (url) => {
    const builder = mapBuilder();
    for (const [key, values] of queryValues(url)) builder.set(key, list(values));
    return builder.build();
  }),
  declare("isURL", [
    global(
      "is_url_string",
      [stringType],
      boolType,
      (text) => parseRequestUrl(textOf(text)).kind === "url",
    ),
  ]),
];
