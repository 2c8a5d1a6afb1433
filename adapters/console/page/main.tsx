import { render } from 'preact';
import './style/tokens.css';
import './style/base.css';
import './style/layout.css';
import './style/message.css';
import './style/markdown.css';
import './style/composer.css';
import './style/panels.css';
import { App } from './parts/app.tsx';
import { attach, begin } from './state/session.ts';
import { currentTheme, wear } from './state/theme.ts';

wear(currentTheme());
attach();
const root = document.getElementById('app');
if (root) render(<App />, root);
void begin();
