// The left column: tools by server above, files and sessions below.

import { useState, type ReactElement } from "react";
import { Group, Panel, Separator } from "react-resizable-panels";
import { useStore } from "../state/store";
import { upload } from "../state/uploads";
import { workspace } from "../state/workspace";
import { useDrop } from "../ui/drop";
import { IconUpload } from "../ui/icons";
import { Badge, panelProps, Tabs } from "../ui/ui";
import { Files } from "./files";
import { Sessions } from "./sessions";
import { Tools } from "./tools";
import "./left.css";

export function Left(): ReactElement {
  const [tab, setTab] = useState("files");
  const filesCount = useStore(workspace, (state) => new Set(state.files.map((file) => file.name)).size);
  const sessionsCount = useStore(workspace, (state) => state.sessions.length);
  const drop = useDrop((files) => {
    setTab("files");
    void upload(files);
  });
  const tabs = [
    { id: "files", label: <Counted label="Files" count={filesCount} /> },
    { id: "sessions", label: <Counted label="Sessions" count={sessionsCount} /> },
  ];
  return (
    <nav className="left-column" aria-label="Servers, tools, sessions and files" {...drop.props}>
      <Group orientation="vertical" className="left-group">
        <Panel id="tools" className="left-panel" minSize="20%" defaultSize="62%">
          <Tools />
        </Panel>
        <Separator className="left-separator" aria-label="Height of the tools" />
        <Panel id="things" className="left-panel" minSize="15%">
          <div className="left-things">
            <Tabs label="Files and sessions" prefix="left" tabs={tabs} chosen={tab} onChoose={setTab} />
            <div className="left-things-panel" {...panelProps("left", tab)}>
              {tab === "files" ? <Files /> : <Sessions />}
            </div>
          </div>
        </Panel>
      </Group>
      {drop.isOver && (
        <div className="left-drop" aria-hidden="true">
          <IconUpload size={24} />
          Drop to upload to this session
        </div>
      )}
    </nav>
  );
}

function Counted({ label, count }: { label: string; count: number }): ReactElement {
  return (
    <>
      {label} {count > 0 && <Badge>{count}</Badge>}
    </>
  );
}
