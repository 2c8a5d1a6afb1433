import { termsOf } from './terms.ts';

/**
 * Words for the same thing, in the languages that people mix at work: English, Chinese, Japanese. Each line is one
 * meaning: what a passage and a question can share when they share no word. General vocabulary only, so that it fits
 * any documents.
 */
export const MEANINGS = `
visitor guest invite invited caller 访客 来客 客人 来賓 来訪
badge pass card keycard 胸牌 工牌 门禁 证件 名札
customer client buyer 客户 顾客 顧客
colleague coworker teammate employee staff worker 同事 员工 職員 社員 従業員
manager boss supervisor lead head superior 主管 经理 领导 上司 部長
company firm employer business organisation organization corporate 公司 企业 会社 企業
team department group unit division 部门 团队 部署 部門
new newcomer joiner starter onboard onboarding hire 新人 入职 入社
building office premises site workplace 大楼 办公室 建物 オフィス 職場
room hall space 房间 会议室 部屋
desk seat workplace workstation table 座位 桌子 席
kitchen canteen cafeteria pantry 厨房 食堂 台所
coffee tea drink beverage 咖啡 饮料 コーヒー 飲物
food meal eat lunch dinner breakfast snack 餐饮 午餐 吃饭 食事 昼食
toilet restroom bathroom washroom lavatory 厕所 洗手间 トイレ
lift elevator 电梯 エレベーター
stairs staircase stairway 楼梯 階段
floor storey level 楼层
door gate entrance entry enter 入口 大门 玄関
lobby reception foyer front 前台 大厅 受付
park parking car garage vehicle 停车 汽车 车辆 駐車 自動車
drive driving car vehicle mileage kilometre mile 开车 驾驶 運転
bicycle bike cycling 自行车 自転車
dog pet animal puppy 宠物 狗 ペット
fire flame smoke burn 火灾 着火 火事
alarm alert siren warning 警报 报警 警報
emergency danger urgent accident 紧急 危险 緊急 危険
meet gather assemble assembly 集合 集まる
meeting conference call session appointment 会议 開会 会議
phone telephone mobile cellphone smartphone handset 电话 手机 電話 携帯
call ring dial phone 打电话 通话 通話
quiet silent silence undisturbed disturb noise noisy loud 安静 静か 騒音
print printer printing printout paper 打印 印刷
scan scanner photo photograph picture image 照片 图片 写真 画像
screen monitor display 屏幕 显示器 画面
dark black blank 黑屏
laptop computer notebook machine pc device 电脑 笔记本 设备 パソコン 端末
headset headphone earphone microphone 耳机 麦克风 ヘッドセット
charge charger battery power plug 充电 电源 充電 電源
dock docking station hub 扩展坞
cable cord wire lead 电缆 线缆 ケーブル
wifi wlan wireless network internet 无线 网络 上网 無線 通信
vpn tunnel remote 专用网
home remote telework telecommute homeoffice 在家 居家 远程 在宅 遠隔
abroad foreign overseas country international 国外 境外 海外 外国
password passphrase credential passcode pin 密码 口令 暗証
login signin logon authenticate authentication authenticator 登录 登入 认证 認証
token key secret 令牌 密钥 鍵
2fa mfa otp authenticator 双因素 验证
account user profile identity 账号 账户 帐号 用户
permission right access authorization authorisation allowed allow permit 权限 许可 允许 権限 許可
admin administrator root operator 管理员 管理者
forbid forbidden prohibit refuse refused reject rejected deny denied ban 禁止 拒绝 不得 拒否
approve approval agree agreement consent confirm authorise authorize 批准 审批 同意 确认 承認 確認
apply application request ask demand petition 申请 请求 申請 依頼
form questionnaire template sheet 表格 表单 書式
register registration enrol record 登记 注册 登録
book booking reserve reservation order 预订 预约 予約
cancel cancellation abort revoke 取消 中止
money cash fund 金钱 钱 资金 お金
pay payment paid salary wage earn compensation compensate 支付 工资 付款 报酬 給料 支払
cost price fee charge expensive cheap rate 费用 价格 多少钱 料金 値段 費用
limit maximum most cap ceiling quota upper 上限 最多 限制 制限
minimum least lowest 最少 最低
reimburse reimbursement refund repay claim expense 报销 退款 补偿 精算 返金
allowance subsidy bonus grant benefit 补贴 津贴 手当
receipt invoice bill voucher 发票 收据 領収 請求
tax duty 税务 税金
bank transfer account 银行 銀行
travel trip journey tour 出差 旅行 差旅 出張
hotel accommodation lodging overnight stay 酒店 住宿 宾馆 宿泊 ホテル
flight fly plane airplane aircraft airfare airline 航班 飞机 机票 飛行
train rail railway railroad 火车 高铁 列车 列車 電車
taxi cab ride uber 出租 打车 タクシー
ticket fare 车票 切符
luggage baggage suitcase 行李 荷物
leave vacation holiday absence 休假 假期 请假 休暇
sick ill illness disease doctor 生病 病假 病気
insurance insure cover 保险 保険
contract agreement treaty deal 合同 契约 契約
law legal lawsuit court dispute litigation sue lawyer 法律 诉讼 纠纷 法務 訴訟
policy rule regulation guideline 制度 规定 政策 規則 規定
delete erase remove purge wipe destroy shred discard throw dispose trash 删除 清除 销毁 削除 消去
keep retain store hold preserve retention save 保存 保留 留存 保管
backup copy snapshot 备份 复制 予備
restore recover recovery undelete retrieve 恢复 还原 復元 復旧
undo revert rollback roll 撤销 回滚 取消
data information record 数据 信息 资料 情報
file document page paper attachment 文件 文档 文書 書類
folder directory 文件夹 目录 フォルダ
privacy personal confidential private sensitive 隐私 个人 保密 機密 個人
security secure safety protect protection safe 安全 防护 保護
encrypt encrypted cipher 加密 暗号
lose lost missing gone disappear disappeared vanish misplace 丢失 丢了 遗失 不见 紛失
steal stolen theft thief rob robbery 被盗 偷 盗难 盗難
forget forgot forgotten left 忘记 忘了 忘れ
find found locate search look 查找 寻找 搜索 検索 探す
broken break damage damaged defect defective fail failure faulty crash malfunction 损坏 坏了 故障 壊れ
error failure fault problem issue mistake bug wrong 错误 问题 失败 間違い 問題
repair fix mend service maintenance 维修 修理 修复
replace replacement exchange substitute swap change 更换 替换 交換
help support assistance aid helpdesk 帮助 支持 支援
heating heater heat warm temperature cold 暖气 空调 暖房
water leak pipe tap 漏水 水管 水漏
light lamp bulb electricity 电灯 照明 電気
clean cleaning tidy clear dishwasher dirty 清洁 打扫 掃除
incident outage downtime disruption down 事故 中断 宕机 障害
severity priority critical importance serious 严重 优先 重要
oncall standby duty pager shift rota rotation 值班 待命 当番
page paged pager paging notify notification 呼叫 通知
acknowledge answer respond reply react response 回复 回答 响应 返信 応答
review retrospective postmortem mortem analysis lesson 复盘 总结 評価
handover hand handoff transfer pass 交接 移交 引継
deploy deployment release rollout ship publish 部署 发布 上线 配備
version upgrade update patch 版本 升级 更新
start begin launch boot run 开始 启动 開始 起動
stop end finish quit terminate shutdown halt close 停止 结束 终止 終了
install installation setup configure 安装 設定 導入
software program app application tool 软件 程序 应用 ソフト
setting configuration option preference config parameter 设置 配置 选项 設定
server host machine backend 服务器 サーバ
database table sql sqlite 数据库 データベース
log logging journal trace 日志 記録
metric monitoring measure statistic prometheus dashboard 指标 监控 監視
health healthy alive ready readiness 健康 状态 状態
test try check verify examine probe 测试 检查 検査 試験
docker container image kubernetes podman 容器 コンテナ
connection connect link network disconnect drop dropped cut reset 连接 断开 接続 切断
timeout slow wait delay latency late 超时 等待 延迟 遅延
port listen socket 端口 ポート
address url link location 地址 链接 住所
model llm gpt language 模型 人工智能
question ask query inquiry 问题 提问 質問
message mail email post letter chat 消息 邮件 信息 メール 連絡
channel room chat 频道 频段
language translate translation 语言 翻译 言語
price rate minute throttle limit 限流
time hour clock minute 时间 几点 小时 分钟 時間 何時
day daily today tomorrow 每天 几天 天 日数 毎日
week weekly 每周 星期 一周 週間 毎週
weekend saturday sunday 周末 星期六 星期天 週末 土曜 日曜
month monthly 每月 月份 毎月
year annual annually yearly 每年 年度 毎年
night evening overnight late 晚上 夜间 夜間
morning early breakfast 早上 上午 朝
deadline due limit latest 截止 期限 最迟 締切
valid validity expire expiry expiration duration 有效 有效期 过期 有効
long duration period often frequency frequent interval 多久 多长 期间 期間
open opening hours staffed 开放 营业 開館
work job working labour labor 工作 上班 办公 仕事 勤務
overtime extra 加班 残業
core online available reachable 在线 可用
train training course learn 培训 学习 研修
hire recruit recruiting candidate applicant application rejection 招聘 应聘 求职 採用 応募
people personnel hr human 人事
finance accounting financial treasury 财务 会计 経理
sales selling revenue 销售 营业 販売
goods product item 产品 商品 製品
colour color stripe 颜色 色彩 色
size big large small amount 大小 尺寸
number count quantity many 数量 多少 几个
name title call 名称 名字 名前
place location spot position 地点 地方 位置 场所 場所
reason cause 原因 理由
step procedure process workflow 步骤 流程 手順
example sample demo 例子 示例
difference compare versus instead rather 区别 比较 違い
choose choice select pick decide decision 选择 决定 選択
private personal myself 自己 私人
share sharing shared common 共享 共有
buy purchase procure acquire 购买 采购 購入
deliver delivery ship arrive arrival 送货 到货 配送
chair furniture 椅子 家具
electricity power energy 电费 电力 電力
`;

/** One meaning of a term. */
export interface Meaning {
  /** Number of its line. */
  readonly line: number;
  /** 0 to 1: a term that is one pair of characters out of several says only its part. */
  readonly share: number;
}

const lines = MEANINGS.trim()
  .split('\n')
  .map((line) => line.split(/\s+/).map(termsOf));

const byTerm = new Map<string, Meaning[]>();
for (const [line, words] of lines.entries()) {
  for (const terms of words) for (const term of terms) learn(term, { line, share: 1 / terms.length });
}

function learn(term: string, meaning: Meaning): void {
  const known = byTerm.get(term) ?? [];
  if (!known.some(({ line }) => line === meaning.line)) byTerm.set(term, [...known, meaning]);
}

/** What a term can mean; empty for most. */
export const meaningsOf = (term: string): readonly Meaning[] => byTerm.get(term) ?? [];

/** The terms that have a meaning. */
export const termsOfMeaning = (line: number): readonly string[] => [...new Set((lines[line] ?? []).flat())];
