import { useEffect } from "preact/hooks";
import { currentMatch } from "./page-view.tsx";

/** The way to this page, from the route table. */
export function Crumbs() {
  const matched = currentMatch();
  const crumbs = matched?.route.crumbs(matched.params) ?? [];
  const title = crumbs.at(-1)?.label ?? "Not found";
  useEffect(() => {
    document.title = `${title} · Setpoint`;
  }, [title]);
  return (
    <nav class="crumbs" aria-label="Path">
      <ol>
        {crumbs.map(({ label, href }, at) => {
          const isLast = at === crumbs.length - 1;
          return (
            <li key={label + String(at)} class={isLast ? "crumb-last" : ""}>
              {href === undefined || isLast ? (
                <b aria-current={isLast ? "page" : undefined}>{label}</b>
              ) : (
                <a href={href}>{label}</a>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
