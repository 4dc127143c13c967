// The sidebar of the site: the headings of docs/README.md and the links in their tables, so that a
// page is listed once.
import { readFileSync } from "node:fs";

export interface SidebarGroup {
  readonly text: string;
  readonly collapsed: boolean;
  readonly items: { text: string; link: string }[];
}

export function sidebarFrom(path: string): SidebarGroup[] {
  const [, ...sections] = readFileSync(path, "utf8").split(/^## /m);
  return sections.flatMap((section) => {
    const [heading = ""] = section.split("\n", 1);
    const links = section.matchAll(/^\| \[([^\]]+)\]\(([^)#]+)\.md\)/gm);
    const items = [...links].map(([, text = "", target = ""]) => ({ text, link: linkTo(target) }));
    return items.length === 0 ? [] : [{ text: heading, collapsed: heading !== "Tutorials", items }];
  });
}

/** The page of a path that is relative to docs/. */
function linkTo(target: string): string {
  return new URL(target, "file:///docs/").pathname;
}
