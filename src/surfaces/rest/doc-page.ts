// The documentation page of an API: one HTML document without scripts and without requests to
// anywhere, in light and dark. Everything on it comes from the routes and the description.

import type { RouteDescription } from "../../contract/route.ts";
import { getOwn, isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { objectAt, textAt, textsAt } from "../../kernel/json-read.ts";
import type { ApiDescription, ErrorCodeRow } from "./api-description.ts";
import { operationId, pathOf } from "./openapi.ts";
import { parameterNames, parseTemplate } from "./path-template.ts";

export function docPage(routes: readonly RouteDescription[], api: ApiDescription): string {
  const { title, version, description, base = "", errors, documentLink } = api;
  const tags = [...new Set(routes.map(({ tag }) => tag))];
  const sections = tags.map((tag) => {
    const own = routes.filter((route) => route.tag === tag).map((route) => routeHtml(route, base));
    return `<section><h2>${text(tag)}</h2>${own.join("")}</section>`;
  });
  const contents = routes.map((route) => {
    const { method, summary } = route;
    const path = text(pathOf(base, route));
    const link = `<a href="#${operationId(route)}"><code>${method} ${path}</code></a>`;
    return `<tr><td>${link}</td><td>${text(summary)}</td></tr>`;
  });
  const document = `<a href="${text(documentLink)}">${text(documentLink)}</a>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${text(title)} <small>${text(version)}</small></h1>
<p>${prose(description)} For programs: ${document}.</p>
<table>${contents.join("\n")}</table>
${sections.join("\n")}
<section><h2>Errors</h2>
<p>${prose(errors.text)}</p>
<table><tr><th>code</th><th>status</th><th>meaning</th><th>what to do</th></tr>
${errorRows(errors.codes)}</table></section>
</body>
</html>
`;
}

function routeHtml(route: RouteDescription, base: string): string {
  const { method, summary, description = "" } = route;
  const notes = [
    ...(route.idempotency === undefined ? [] : ["Accepts an Idempotency-Key."]),
    ...(route.etag === true ? ["Has an ETag."] : []),
    ...(route.stream === true ? ["Returns a stream: NDJSON or server-sent events."] : []),
  ];
  return `<article id="${operationId(route)}">
<h3><code>${method} ${text(pathOf(base, route))}</code></h3>
<p>${prose(summary)} ${prose(description)}</p>
${notes.map((note) => `<p class="note">${text(note)}</p>`).join("")}
${parameterTable(route)}${bodyTable(route)}
<table><tr><th>status</th><th>answer</th></tr>${answerRows(route)}</table>
</article>`;
}

function parameterTable(route: RouteDescription): string {
  const { path, query = {}, parameters = {}, headers = {} } = route;
  const template = parseTemplate(path);
  const inPath = template === undefined ? [] : parameterNames(template);
  const rows = [
    ...inPath.map((name) => row([name, "path", parameters[name] ?? ""])),
    ...fieldRows(query, "query"),
    ...Object.entries(headers).map(([name, meaning]) => row([name, "header", meaning])),
  ];
  if (rows.length === 0) return "";
  return `<table><tr><th>parameter</th><th>in</th><th>meaning</th></tr>${rows.join("")}</table>`;
}

function bodyTable({ body }: RouteDescription): string {
  if (body === undefined) return "";
  const rows = fieldRows(body, "body");
  return `<table><tr><th>field</th><th>in</th><th>meaning</th></tr>${rows.join("")}</table>`;
}

function fieldRows(schema: JsonObject, place: string): readonly string[] {
  const properties = objectAt(schema, "properties");
  const required = textsAt(schema, "required");
  return Object.keys(properties).map((name) => {
    const own = getOwn(properties, name);
    const type = isJsonObject(own) ? textAt(own, "type") : "";
    const meaning = textAt(properties, name, "description");
    const need = required.includes(name) ? "required" : "optional";
    return row([name, place, `${meaning} (${type}, ${need})`]);
  });
}

function answerRows({ answers }: RouteDescription): string {
  return Object.entries(answers)
    .map(([status, { description }]) => row([status, description]))
    .join("");
}

function errorRows(codes: readonly ErrorCodeRow[]): string {
  return codes
    .map(({ code, status, summary, action }) => {
      const cells = [String(status), summary, action].map((each) => `<td>${prose(each)}</td>`);
      return `<tr id="${text(code)}"><td><code>${text(code)}</code></td>${cells.join("")}</tr>`;
    })
    .join("\n");
}

function row(cells: readonly string[]): string {
  return `<tr>${cells.map((cell) => `<td>${prose(cell)}</td>`).join("")}</tr>`;
}

function text(value: string): string {
  return value
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** Prose, in which backquotes mark code. */
function prose(value: string): string {
  return text(value).replace(/`([^`]*)`/g, "<code>$1</code>");
}

const style = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: light-dark(#1c1c1e, #e6e6e8); background: light-dark(#ffffff, #16171a); }
h1 small { font-size: 1rem; font-weight: normal; opacity: 0.7; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid light-dark(#d8d8dc, #3a3b40); }
code { font: 0.9em ui-monospace, monospace; }
a { color: light-dark(#0b57d0, #8ab4f8); }
table { border-collapse: collapse; width: 100%; margin: 0.75rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.75rem 0.3rem 0;
  border-bottom: 1px solid light-dark(#ececef, #2a2b30); }
article td:first-child, article th:first-child { width: 8rem; }
th { font-weight: 600; font-size: 0.85rem; opacity: 0.75; }
.note { font-size: 0.9rem; opacity: 0.8; }
`;
