import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { session, signOut } from "../api/session.ts";
import type { Session } from "../api/session.ts";
import { paths } from "../paths.ts";
import { place } from "../router/location.ts";
import { theme } from "../settings/settings.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Menu, MenuItem, MenuLine } from "../ui/menu.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { Crumbs } from "./crumbs.tsx";
import { LiveStatus } from "./live-status.tsx";
import { Navigation } from "./navigation.tsx";
import { NamespaceSwitch } from "./namespace-switch.tsx";
import { PageView } from "./page-view.tsx";
import { openPalette, Palette } from "./palette.tsx";
import { ReportBar } from "./report-bar.tsx";
import { Shortcuts } from "./shortcuts.tsx";
import "./app-frame.css";

/** Navigation, top bar and page, with the dialogs that any page can open. */
export function AppFrame() {
  const isOpen = useSignal(false);
  const { path } = place.value;
  useEffect(() => {
    isOpen.value = false;
  }, [path]);
  const state = session.value;
  if (state.kind !== "signed-in") return null;
  return (
    <div class="frame">
      <a class="skip" href="#main" onClick={focusMain}>
        Skip to the content
      </a>
      <div class={`side ${isOpen.value ? "side-open" : ""}`}>
        <a class="brand" href={paths.overview()} aria-label="Setpoint, overview">
          <Icon name="logo" />
          <span>Setpoint</span>
        </a>
        <Server session={state.session} />
        <Navigation />
        <LiveStatus />
      </div>
      <div class="body">
        <header class="top">
          <Button
            class="phone-only"
            icon="menu"
            label="Navigation"
            look="quiet"
            expanded={isOpen.value}
            onClick={() => {
              isOpen.value = !isOpen.value;
            }}
          />
          <Crumbs />
          <SearchButton />
          <NamespaceSwitch />
          <UserMenu session={state.session} />
        </header>
        <main id="main" tabIndex={-1}>
          <PageView />
        </main>
      </div>
      <Palette />
      <ConfirmDialog />
      <ReportBar />
      <Shortcuts />
    </div>
  );
}

function focusMain(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#main")?.focus();
}

function Server({ session: { server } }: { session: Session }) {
  return (
    <div class="server">
      <span class="strong clip">{server.name}</span>
      <span class="mono small muted clip">{window.location.host}</span>
    </div>
  );
}

function SearchButton() {
  return (
    <button type="button" class="search" aria-keyshortcuts="Control+K" onClick={openPalette}>
      <Icon name="search" />
      <span class="phone-hidden">Search or run a command</span>
      <kbd class="wide-only" aria-hidden="true">
        Ctrl K
      </kbd>
    </button>
  );
}

const themes = [
  ["system", "Theme of the system"],
  ["light", "Light theme"],
  ["dark", "Dark theme"],
] as const;

function UserMenu({ session: { user } }: { session: Session }) {
  const button = (
    <>
      <span class="user clip">{user}</span> <Icon name="down" />
    </>
  );
  return (
    <Menu label={`Signed in as ${user}`} button={button} class="wide-only">
      {themes.map(([id, label]) => (
        <MenuItem
          key={id}
          isChosen={theme.value === id}
          onClick={() => {
            theme.value = id;
          }}
        >
          {label}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem href={paths.settings()}>Settings</MenuItem>
      <MenuItem onClick={() => void signOut()}>Sign out</MenuItem>
    </Menu>
  );
}
