// Links from pages to files that are not on the site, such as sources. The site shows the text of
// such a link without a link. A link to a missing file stays, and VitePress fails.
import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { pages, root, sourceFolders } from "./places.ts";

/** What is used of markdown-it, whose types are installed only with VitePress. */
interface Token {
  readonly type: string;
  tag: string;
  readonly children: Token[] | null;
  attrGet(name: string): string | null;
}
interface Page {
  readonly tokens: readonly Token[];
  /** `path` is the file of the page. */
  readonly env: { readonly path: string };
}
interface MarkdownIt {
  readonly core: { readonly ruler: { push(name: string, rule: (page: Page) => void): void } };
}

export function linksToSources(md: MarkdownIt): void {
  md.core.ruler.push("links_to_sources", ({ tokens, env }) => {
    const folder = join(root, relative(pages, dirname(env.path)));
    for (const { children } of tokens) {
      const isSource: boolean[] = [];
      for (const token of children ?? []) {
        if (token.type === "link_open") {
          isSource.push(isSourceFile(folder, token.attrGet("href") ?? ""));
          if (isSource.at(-1) === true) Object.assign(token, { tag: "span", attrs: [] });
        } else if (token.type === "link_close" && isSource.pop() === true) {
          token.tag = "span";
        }
      }
    }
  });
}

function isSourceFile(folder: string, href: string): boolean {
  const [path = ""] = href.split("#", 1);
  if (path === "" || /^[a-z]+:/i.test(path)) return false;
  const target = resolve(folder, path);
  if (!existsSync(target)) return false;
  const [first = ""] = relative(root, target).split("/", 1);
  return !path.endsWith(".md") || sourceFolders.includes(first);
}
