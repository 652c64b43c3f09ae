// What a person sees who is not known yet: the way in that this gateway has.

import { useState, type FormEvent, type ReactElement } from "react";
import { useStore } from "../state/store";
import { begin, workspace } from "../state/workspace";
import { Button, Command, Spinner } from "../ui/ui";
import { Mark } from "./mark";
import { exchangeKey, goToIssuer } from "./sign-in";
import "./sign-in.css";

export function SignIn(): ReactElement {
  const { phase, signIn, said } = useStore(workspace, ({ phase, signIn, said }) => ({ phase, signIn, said }));
  return (
    <main className="shell-sign-in">
      <div className="shell-sign-in-card">
        <Mark size={36} />
        <h1>Resultant</h1>
        {said && (
          <p role="status" className="shell-sign-in-said">
            {said}
          </p>
        )}
        {phase === "starting" ? said ? <Again /> : <Spinner label="Signing in" size={20} /> : <Way way={signIn} />}
      </div>
    </main>
  );
}

function Again(): ReactElement {
  return <Button onClick={() => void begin()}>Try again</Button>;
}

function Way({ way }: { way: string }): ReactElement {
  switch (way) {
    case "key":
      return <KeyForm />;
    case "issuer":
      return (
        <>
          <p className="ui-quiet">Your organization signs you in.</p>
          <Button kind="primary" onClick={goToIssuer}>
            Sign in
          </Button>
        </>
      );
    case "proxy":
      return <p className="ui-quiet">Open this page through the proxy that signs people in.</p>;
    case "token":
      return <p className="ui-quiet">Programs bring a token of the issuer; there is no sign-in for people here.</p>;
    default:
      return (
        <>
          <p className="ui-quiet">This gateway belongs to whoever started it. Get a link that opens this page once:</p>
          <Command>resultant open</Command>
        </>
      );
  }
}

function KeyForm(): ReactElement {
  const [key, setKey] = useState("");
  const [isBusy, setBusy] = useState(false);
  const onSubmit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    const isIn = await exchangeKey(key.trim()).catch(() => false);
    setKey("");
    setBusy(false);
    await begin(isIn ? "" : "This key is not known.");
  };
  return (
    <form className="shell-sign-in-form" onSubmit={(event) => void onSubmit(event)}>
      <label htmlFor="sign-in-key">Your key</label>
      <input
        id="sign-in-key"
        className="ui-input"
        type="password"
        autoComplete="off"
        spellCheck={false}
        required
        autoFocus
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
      <Button kind="primary" type="submit" disabled={isBusy}>
        Sign in
      </Button>
      <p className="ui-quiet">
        Whoever runs the gateway makes one with <code>resultant key new NAME</code>.
      </p>
    </form>
  );
}
