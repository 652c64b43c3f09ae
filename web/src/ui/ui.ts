// The small parts in one place.

export { Button, IconButton, type ButtonProps, type IconButtonProps } from "./button";
export { Confirm, Dialog } from "./dialog";
export { Menu, type MenuItem } from "./menu";
export { Badge, Command, EmptyState, ErrorNote, Key, ProgressBar, Spinner, type Tone } from "./parts";
export { panelProps, Tabs, type Tab } from "./tabs";
export { announce, toast, toastError, Toasts } from "./toast";
export { tip, TooltipLayer } from "./tooltip";
