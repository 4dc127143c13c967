import { useEffect } from "preact/hooks";
import { kinds, loadKinds } from "./api/kinds.ts";
import { readSession, session, watchSession } from "./api/session.ts";
import { AppFrame } from "./components/app-frame.tsx";
import { SignIn } from "./pages/sign-in/sign-in.tsx";
import { forgetQueries } from "./query/query.ts";
import { forgetRights } from "./api/rights.ts";
import { followChanges, onChanges, onResync } from "./stream/live.ts";
import { Sprite } from "./ui/icon.tsx";
import { ErrorPanel, Skeleton } from "./ui/notice.tsx";

/** The session decides what is shown: the console, or the sign-in page. */
export function App() {
  useEffect(() => {
    watchSession();
    void readSession();
  }, []);
  const state = session.value;
  return (
    <>
      <Sprite />
      {state.kind === "unknown" && <Skeleton lines={6} />}
      {state.kind === "unreachable" && (
        <ErrorPanel error={state.error} onRetry={() => void readSession()} />
      )}
      {state.kind === "signed-out" && <SignIn offers={state.offers} />}
      {state.kind === "signed-in" && <SignedIn key={state.session.user} />}
    </>
  );
}

const definitions = "customresourcedefinitions.apiextensions.k8s.io";

function SignedIn() {
  useEffect(() => {
    const stop = [
      followChanges(),
      onResync(() => void loadKinds()),
      onChanges((changes) => {
        if (changes.some(({ kind }) => kind === definitions)) void loadKinds();
      }),
    ];
    void loadKinds();
    return () => {
      for (const end of stop) end();
      forgetQueries();
      forgetRights();
      kinds.value = undefined;
    };
  }, []);
  return <AppFrame />;
}
