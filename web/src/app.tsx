// Which screen: the sign-in, a file alone (popped out), or the three columns.

import { lazy, Suspense, type ReactElement } from "react";
import { Columns } from "./shell/columns";
import { Header } from "./shell/header";
import { Help } from "./shell/help";
import { overlay } from "./shell/overlay";
import { Palette } from "./shell/palette";
import { SignIn } from "./shell/sign-in-screen";
import { place } from "./state/place";
import { useStore } from "./state/store";
import { workspace } from "./state/workspace";
import { Toasts, TooltipLayer } from "./ui/ui";
import { Left } from "./left/left";
import { Middle } from "./tool/middle";

const Canvas = lazy(async () => ({ default: (await import("./canvas/canvas")).Canvas }));
const FileScreen = lazy(async () => ({ default: (await import("./canvas/file-screen")).FileScreen }));

export function App(): ReactElement {
  return (
    <>
      <Screen />
      <Overlay />
      <Toasts />
      <TooltipLayer />
    </>
  );
}

function Screen(): ReactElement {
  const phase = useStore(workspace, (state) => state.phase);
  const here = useStore(place, (state) => state.place);
  if (phase !== "ready") return <SignIn />;
  if (here.kind === "file") {
    return (
      <Suspense fallback={null}>
        <FileScreen fileKey={here.key} />
      </Suspense>
    );
  }
  return (
    <div className="shell-page">
      <Header />
      <Columns
        left={<Left />}
        middle={<Middle />}
        canvas={
          <Suspense fallback={null}>
            <Canvas />
          </Suspense>
        }
      />
    </div>
  );
}

function Overlay(): ReactElement | null {
  const open = useStore(overlay, (state) => state.open);
  const isReady = useStore(workspace, (state) => state.phase === "ready");
  if (open === null || !isReady) return null;
  return open === "palette" ? <Palette /> : <Help />;
}
