import type { Signal } from "@preact/signals";
import { useId } from "preact/hooks";
import { session, signOut } from "../../api/session.ts";
import { dateText } from "../../format/time.ts";
import type { PageProps } from "../../routes.tsx";
import { density, hasKeys, theme, zone } from "../../settings/settings.ts";
import { Button } from "../../ui/button.tsx";
import { Facts, Panel } from "../../ui/panel.tsx";
import "./settings.css";

export function SettingsPage(_props: PageProps) {
  const state = session.value;
  if (state.kind !== "signed-in") return null;
  const { user, groups, method, expiresAt, server } = state.session;
  const until = expiresAt === undefined ? "no end" : dateText(Date.parse(expiresAt), zone.value);
  return (
    <>
      <h1>Settings</h1>
      <div class="settings">
        <Panel title="This browser" isPadded>
          <Choice
            label="Theme"
            setting={theme}
            options={[
              ["system", "System"],
              ["light", "Light"],
              ["dark", "Dark"],
            ]}
          />
          <Choice
            label="Density"
            setting={density}
            options={[
              ["normal", "Normal"],
              ["compact", "Compact"],
            ]}
          />
          <Choice
            label="Time zone"
            setting={zone}
            options={[
              ["local", "Local"],
              ["UTC", "UTC"],
            ]}
          />
          <Choice
            label="Keys"
            setting={hasKeys}
            options={[
              ["on", "On"],
              ["off", "Off"],
            ]}
          />
        </Panel>
        <Panel title="Session" side={<Button onClick={() => void signOut()}>Sign out</Button>}>
          <Facts
            facts={[
              ["User", user],
              ["Groups", groups.length === 0 ? "none" : groups.join(", ")],
              ["Signed in by", method],
              ["Until", until],
            ]}
          />
        </Panel>
        <Panel title="Server">
          <Facts
            facts={[
              ["Name", server.name],
              ["Version", server.version],
              ["Address", <code>{window.location.host}</code>],
            ]}
          />
        </Panel>
      </div>
    </>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly setting: Signal<T>;
  readonly options: readonly (readonly [T, string])[];
}

function Choice<T extends string>({ label, setting, options }: ChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset class="choice">
      <legend>{label}</legend>
      <div class="choice-options">
        {options.map(([value, word]) => (
          <label key={value}>
            <input
              type="radio"
              name={name}
              checked={setting.value === value}
              onChange={() => {
                setting.value = value;
              }}
            />
            <span>{word}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
