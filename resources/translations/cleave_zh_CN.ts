<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>cleave::Core</name>
    <message>
        <source>%1 cannot move to %2: %3.</source>
        <translation>%1 不能移动到%2：%3。</translation>
    </message>
    <message>
        <source>%1 is part of message passing %2 and stays in its function</source>
        <translation>%1 属于消息传递 %2，只能留在其所在的函数中</translation>
    </message>
    <message>
        <source>%1 is pinned to function %2</source>
        <translation>%1 已固定在函数 %2</translation>
    </message>
    <message>
        <source>%1 must stand at %2 or earlier, since %3 reads it there</source>
        <translation>%1 最晚只能放在%2，因为%3 在那里读取它</translation>
    </message>
    <message>
        <source>%1 works on %2, and function %3 on %4</source>
        <translation>%1 处理%2，而函数 %3 处理%4</translation>
    </message>
    <message>
        <source>%1 must stand at %2 or later, since it reads what %3 finds out from all nodes</source>
        <translation>%1 最早只能放在%2，因为它要读取%3 由所有节点得出的结果</translation>
    </message>
    <message>
        <source>there is no %1 in this program</source>
        <translation>此程序中没有“%1”这一位置</translation>
    </message>
    <message>
        <source>no function on %1 is there</source>
        <translation>那里没有处理%1的函数</translation>
    </message>
    <message>
        <source>There is no %1 in this program.</source>
        <translation>此程序中没有%1。</translation>
    </message>
    <message>
        <source>Functions %1 and %2 run together in this plan, so nothing is saved between them.</source>
        <translation>在此方案中，函数 %1 和 %2 合并运行，因此它们之间不保存任何内容。</translation>
    </message>
    <message>
        <source>Functions %1 and %2 run together: there is no cut between them.</source>
        <translation>函数 %1 和 %2 合并运行：它们之间没有切口。</translation>
    </message>
    <message>
        <source>%1 is no tensor of node rows that something reads, so it cannot be a save point.</source>
        <translation>%1 不是会被读取的节点行张量，因此不能作为保存点。</translation>
    </message>
    <message>
        <source>%1 cannot be saved at cut %2, since nothing that reads it can run after the cut: %3</source>
        <translation>%1 不能保存在切口 %2，因为读取它的算子都不能在该切口之后运行：%3</translation>
    </message>
    <message>
        <source>%1 cannot be saved at cut %2, since nothing that reads it can run after the cut.</source>
        <translation>%1 不能保存在切口 %2，因为读取它的算子都不能在该切口之后运行。</translation>
    </message>
    <message>
        <source>%1 must be saved at cut %2: %3; %4</source>
        <translation>%1 必须保存在切口 %2：%3；%4</translation>
    </message>
    <message>
        <source>%1 must be saved at cut %2: %3</source>
        <translation>%1 必须保存在切口 %2：%3</translation>
    </message>
    <message>
        <source>message passing or an output after the cut reads it</source>
        <translation>该切口之后的消息传递或输出要读取它</translation>
    </message>
    <message>
        <source>No op of the function above the cut can move below it.</source>
        <translation>切口上方的函数中没有可以移到切口下方的算子。</translation>
    </message>
    <message>
        <source>No op stands before the message passing below the cut that can move above it.</source>
        <translation>切口下方的消息传递之前没有可以移到切口上方的算子。</translation>
    </message>
    <message>
        <source>%1 does not work on node rows: a plan does not place it.</source>
        <translation>%1 不处理节点行：方案不安排它的位置。</translation>
    </message>
    <message>
        <source>nodes of type %1</source>
        <translation>类型为 %1 的节点</translation>
    </message>
    <message>
        <source>pre %1</source>
        <translation>消息传递 %1 之前</translation>
    </message>
    <message>
        <source>post %1</source>
        <translation>消息传递 %1 之后</translation>
    </message>
    <message>
        <source>cut %1</source>
        <translation>切口 %1</translation>
    </message>
    <message>
        <source>function %1</source>
        <translation>函数 %1</translation>
    </message>
    <message>
        <source>op %1 in module %2</source>
        <translation>算子 %1（模块 %2）</translation>
    </message>
    <message>
        <source>op %1</source>
        <translation>算子 %1</translation>
    </message>
    <message>
        <source>Analysing</source>
        <translation>正在分析</translation>
    </message>
    <message>
        <source>Checking edges</source>
        <translation>正在检查边</translation>
    </message>
    <message>
        <source>Checking the cut on random graphs</source>
        <translation>正在随机图上检查切分</translation>
    </message>
    <message>
        <source>Checking the rewrites on random graphs</source>
        <translation>正在随机图上检查重写</translation>
    </message>
    <message>
        <source>Comparing</source>
        <translation>正在比较</translation>
    </message>
    <message>
        <source>Counting rows</source>
        <translation>正在统计行数</translation>
    </message>
    <message>
        <source>Measuring memory bandwidth</source>
        <translation>正在测量内存带宽</translation>
    </message>
    <message>
        <source>Measuring %1</source>
        <translation>正在测量%1</translation>
    </message>
    <message>
        <source>Ordering nodes</source>
        <translation>正在对节点排序</translation>
    </message>
    <message>
        <source>Planning greedily</source>
        <translation>正在进行贪心规划</translation>
    </message>
    <message>
        <source>Prologue</source>
        <translation>序段</translation>
    </message>
    <message>
        <source>Reading features</source>
        <translation>正在读取特征</translation>
    </message>
    <message>
        <source>Reading the graph</source>
        <translation>正在读取图</translation>
    </message>
    <message>
        <source>Reading the model</source>
        <translation>正在读取模型</translation>
    </message>
    <message>
        <source>Running the whole model</source>
        <translation>正在运行整个模型</translation>
    </message>
    <message>
        <source>Running %1</source>
        <translation>正在运行 %1</translation>
    </message>
    <message>
        <source>Searching the optimal plan</source>
        <translation>正在搜索最优方案</translation>
    </message>
    <message>
        <source>in-place ops</source>
        <translation>原地算子</translation>
    </message>
    <message>
        <source>dropout in eval</source>
        <translation>评估模式下的 dropout</translation>
    </message>
    <message>
        <source>no-ops</source>
        <translation>空操作</translation>
    </message>
    <message>
        <source>checks</source>
        <translation>检查算子</translation>
    </message>
    <message>
        <source>sizes of features</source>
        <translation>取自特征的尺寸</translation>
    </message>
    <message>
        <source>constants folded</source>
        <translation>折叠的常量</translation>
    </message>
    <message>
        <source>equal structure ops</source>
        <translation>相同的结构算子</translation>
    </message>
    <message>
        <source>dead ops</source>
        <translation>无用算子</translation>
    </message>
    <message>
        <source>There is no file %1.</source>
        <translation>没有文件 %1。</translation>
    </message>
    <message>
        <source>%1 cannot be read.</source>
        <translation>无法读取 %1。</translation>
    </message>
    <message>
        <source>%1 cannot be written: choose another folder.</source>
        <translation>无法写入 %1：请选择其他文件夹。</translation>
    </message>
    <message>
        <source>%1 is not a complete zip archive: it is of another kind, or was cut short.</source>
        <translation>%1 不是完整的 zip 压缩包：文件属于其他类型，或已被截断。</translation>
    </message>
    <message>
        <source>%1 is not a complete zip archive.</source>
        <translation>%1 不是完整的 zip 压缩包。</translation>
    </message>
    <message>
        <source>The graph %1 has no array %2 for the model&apos;s input of that name; it has %3. Choose one with --input %4, or let random numbers take its place (--features random).</source>
        <translation>模型的输入需要同名数组 %2，但图 %1 中没有；图中有 %3。请用 --input %4 选择一个数组，或用随机数代替（--features random）。</translation>
    </message>
    <message>
        <source>The graph %1 has no array %2 for the model&apos;s input of that name; it has %3. Choose one with --input %4.</source>
        <translation>模型的输入需要同名数组 %2，但图 %1 中没有；图中有 %3。请用 --input %4 选择一个数组。</translation>
    </message>
    <message>
        <source>Input %1 of the model is %2, but the array of graph %3 is %4: dimension %5 must be %6.</source>
        <translation>模型的输入 %1 是 %2，但图 %3 的数组是 %4：第 %5 维必须为 %6。</translation>
    </message>
    <message>
        <source>Input %1 of the model is %2, but the array of graph %3 is %4: %5.</source>
        <translation>模型的输入 %1 是 %2，但图 %3 的数组是 %4：%5。</translation>
    </message>
    <message>
        <source>Input %1 names node %2, but the graph has nodes %3 to %4.</source>
        <translation>输入 %1 引用了节点 %2，但图中只有节点 %3 到 %4。</translation>
    </message>
    <message>
        <source>Input %1 is a number that a graph does not have.</source>
        <translation>输入 %1 是一个数，而图中没有这个数。</translation>
    </message>
    <message>
        <source>The model has no input %1.</source>
        <translation>模型没有输入 %1。</translation>
    </message>
    <message>
        <source>The model has no node-feature input (a tensor whose first dimension counts nodes), so there is nothing to cut: name one with %1.</source>
        <translation>模型没有节点特征输入（第一维为节点数的张量），因此没有可切分的内容：请用 %1 指定一个。</translation>
    </message>
    <message>
        <source>The model has no node-feature input (a tensor whose first dimension counts nodes), so there is nothing to cut: %1</source>
        <translation>模型没有节点特征输入（第一维为节点数的张量），因此没有可切分的内容：%1</translation>
    </message>
    <message>
        <source>The model was exported for one graph only (%1): export it again with %2; or, if parameter %3 has a row for each node, open it with %4.</source>
        <translation>模型导出时只适用于一个图（%1）：请用 %2 重新导出；或者，如果参数 %3 为每个节点各有一行，请用 %4 打开它。</translation>
    </message>
    <message>
        <source>The model was exported for one graph only (%1): export it again with %2.</source>
        <translation>模型导出时只适用于一个图（%1）：请用 %2 重新导出。</translation>
    </message>
    <message>
        <source>The model was exported in training mode: %1; call model.eval() before torch.export.export.</source>
        <translation>模型是在训练模式下导出的：%1；请在 torch.export.export 之前调用 model.eval()。</translation>
    </message>
    <message>
        <source>the number of nodes is fixed</source>
        <translation>节点数是固定的</translation>
    </message>
    <message>
        <source>the numbers of nodes and edges are fixed</source>
        <translation>节点数和边数是固定的</translation>
    </message>
    <message>
        <source>The cut model does not give the whole model&apos;s answers on a small random graph: %1</source>
        <translation>在一个小型随机图上，切分后的模型与整个模型的结果不一致：%1</translation>
    </message>
    <message>
        <source>The model does not run on a small random graph, so its cut cannot be checked. %1</source>
        <translation>模型无法在一个小型随机图上运行，因此无法检查其切分。%1</translation>
    </message>
    <message>
        <source>The plan %1 does not fit into %2 in batches of %3: it needs %4.</source>
        <translation>方案 %1 在 %2 内存中无法以 %3 的批大小运行：它需要 %4。</translation>
    </message>
    <message>
        <source>The plan %1 does not fit into %2 with any batch size: it needs %3.</source>
        <translation>方案 %1 在 %2 内存中以任何批大小都无法运行：它需要 %3。</translation>
    </message>
    <message>
        <source>%1: not enough memory.</source>
        <translation>%1：内存不足。</translation>
    </message>
    <message>
        <source>Now open the model that the plan is for (%1): a plan file holds the plan alone.</source>
        <translation>现在请打开该方案所属的模型（%1）：方案文件只包含方案本身。</translation>
    </message>
    <message>
        <source>Open the plan&apos;s model first: a plan file holds the plan alone.</source>
        <translation>请先打开该方案的模型：方案文件只包含方案本身。</translation>
    </message>
    <message>
        <source>Open the plans&apos; model first: a plan file holds the plan alone.</source>
        <translation>请先打开这些方案的模型：方案文件只包含方案本身。</translation>
    </message>
    <message>
        <source>The picture is too large to be made of pixels: write it as SVG or PDF.</source>
        <translation>图片太大，无法保存为像素图：请保存为 SVG 或 PDF。</translation>
    </message>
    <message>
        <source>The picture cannot be written to %1: choose another folder.</source>
        <translation>无法将图片写入 %1：请选择其他文件夹。</translation>
    </message>
    <message>
        <source>There is no picture to export: open a model first.</source>
        <translation>没有可导出的图片：请先打开一个模型。</translation>
    </message>
    <message>
        <source>There is nothing to export: open a model first.</source>
        <translation>没有可导出的内容：请先打开一个模型。</translation>
    </message>
    <message>
        <source>%1 must end in .svg, .pdf, .png, .dot, .html or .csv, which says what is written.</source>
        <translation>%1 必须以 .svg、.pdf、.png、.dot、.html 或 .csv 结尾，后缀决定写入的内容。</translation>
    </message>
    <message>
        <source>The unsaved plan cannot be kept in %1.</source>
        <translation>无法将未保存的方案保留在 %1 中。</translation>
    </message>
    <message>
        <source>This does not work on node rows: a plan does not place it.</source>
        <translation>它不作用于节点行：方案不安排它的位置。</translation>
    </message>
    <message>
        <source>Running the whole model on this graph failed: %1</source>
        <translation>在此图上运行整个模型失败：%1</translation>
    </message>
    <message>
        <source>Running layer by layer on this graph failed: %1</source>
        <translation>在此图上逐层运行失败：%1</translation>
    </message>
    <message>
        <source>Measuring %1 failed: %2</source>
        <translation>测量%1失败：%2</translation>
    </message>
    <message>
        <source>The model cannot be cut exactly: op %1 %2</source>
        <translation>模型无法精确切分：算子 %1 %2</translation>
    </message>
    <message>
        <source>the number of edges is fixed</source>
        <translation>边数固定</translation>
    </message>
    <message>
        <source>the number of dimensions differs</source>
        <translation>维数不同</translation>
    </message>
    <message>
        <source>the type does not fit</source>
        <translation>类型不符</translation>
    </message>
    <message>
        <source>Functions %1 and %2 cannot be joined, since they work on nodes of different types.</source>
        <translation>函数 %1 和函数 %2 不能合并，因为它们作用于不同类型的节点。</translation>
    </message>
    <message>
        <source>Functions %1 and %2 cannot be joined, since a global op waits for all nodes between them.</source>
        <translation>函数 %1 和函数 %2 不能合并，因为它们之间有一个全局算子要等待所有节点。</translation>
    </message>
    <message>
        <source>functions %1 to %2</source>
        <translation>函数 %1 到 %2</translation>
    </message>
    <message>
        <source>global ops before function %1</source>
        <translation>函数 %1 之前的全局算子</translation>
    </message>
    <message>
        <source>rows of an output</source>
        <translation>一个输出的行</translation>
    </message>
    <message>
        <source>Running %1 failed: %2</source>
        <translation>运行 %1 失败：%2</translation>
    </message>
</context>
<context>
    <name>cleave::Main</name>
    <message>
        <source>Visual splitting of graph neural networks</source>
        <translation>图神经网络的可视化切分</translation>
    </message>
    <message>
        <source>Print the versions of Cleave, LibTorch, Qt and Graphviz.</source>
        <translation>显示 Cleave、LibTorch、Qt 和 Graphviz 的版本。</translation>
    </message>
    <message>
        <source>Colours: system, light, dark or high-contrast.</source>
        <translation>配色：system、light、dark 或 high-contrast。</translation>
    </message>
    <message>
        <source>Language of the window: %1.</source>
        <translation>窗口的语言：%1。</translation>
    </message>
    <message>
        <source>What an input or parameter of the model is (node-features, graph-structure, edge-features, other), instead of the guess; may be repeated.</source>
        <translation>指定模型的输入或参数的角色（node-features、graph-structure、edge-features、other），以代替自动推测；可重复使用。</translation>
    </message>
    <message>
        <source>Graph file (.npz, a list of edges, .mtx, .graphml or .dot).</source>
        <translation>图文件（.npz、边列表、.mtx、.graphml 或 .dot）。</translation>
    </message>
    <message>
        <source>Model file (.pt2 or .pt).</source>
        <translation>模型文件（.pt2 或 .pt）。</translation>
    </message>
    <message>
        <source>Entries of each row of an input, where a TorchScript file leaves them open; may be repeated.</source>
        <translation>输入每行的元素数（当 TorchScript 文件未给出时）；可重复。</translation>
    </message>
</context>
<context>
    <name>cleave::views::BatchCurve</name>
    <message>
        <source>Cost over batch size</source>
        <translation>代价随批大小的变化</translation>
    </message>
    <message>
        <source>batches of %1: %2, at most %3 of memory</source>
        <translation>批大小 %1：%2，最多占用 %3 内存</translation>
    </message>
    <message>
        <source>now %1</source>
        <translation>当前 %1</translation>
    </message>
    <message>
        <source>least %1 at %2</source>
        <translation>最小 %1，批大小 %2</translation>
    </message>
    <message>
        <source>Batch sizes</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>Click to run in batches of this size</source>
        <translation>点击以使用此批大小运行</translation>
    </message>
</context>
<context>
    <name>cleave::views::CodePanel</name>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Python source</source>
        <translation>Python 源代码</translation>
    </message>
    <message>
        <source>Open a model to see its functions as Python.</source>
        <translation>打开一个模型，即可查看其函数的 Python 代码。</translation>
    </message>
</context>
<context>
    <name>cleave::views::CostBars</name>
    <message>
        <source>blocks</source>
        <translation>建块</translation>
    </message>
    <message>
        <source>read for rows of blocks</source>
        <translation>为块行读取</translation>
    </message>
    <message>
        <source>read for own rows</source>
        <translation>为自身行读取</translation>
    </message>
    <message>
        <source>compute for rows of blocks</source>
        <translation>为块行计算</translation>
    </message>
    <message>
        <source>compute for own rows</source>
        <translation>为自身行计算</translation>
    </message>
    <message>
        <source>write</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>read</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>for rows of blocks</source>
        <translation>用于块行</translation>
    </message>
</context>
<context>
    <name>cleave::views::Description</name>
    <message>
        <source>%1 edges: %2 nodes</source>
        <translation>%1 条边：%2 个节点</translation>
    </message>
    <message>
        <source>%1 to %2 edges: %3 nodes</source>
        <translation>%1 到 %2 条边：%3 个节点</translation>
    </message>
    <message>
        <source>degrees 0, 1, 2, 4, …</source>
        <translation>度数 0、1、2、4、…</translation>
    </message>
    <message>
        <source>put linear layers before aggregations</source>
        <translation>将线性层移到聚合之前</translation>
    </message>
    <message>
        <source>add up linear layers of one input</source>
        <translation>将同一输入的线性层相加</translation>
    </message>
    <message>
        <source>merge linear layers of one input</source>
        <translation>合并同一输入的线性层</translation>
    </message>
    <message>
        <source>fold batch norms into linear layers</source>
        <translation>将批归一化并入线性层</translation>
    </message>
    <message>
        <source>gather equal rows once</source>
        <translation>相同的行只收集一次</translation>
    </message>
    <message>
        <source>%1 %2 ×</source>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>file</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>class</source>
        <translation>类</translation>
    </message>
    <message>
        <source>written by</source>
        <translation>生成工具</translation>
    </message>
    <message>
        <source>operators</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>functions</source>
        <translation>函数</translation>
    </message>
    <message>
        <source>message degree</source>
        <translation>消息阶数</translation>
    </message>
    <message>
        <source>node types</source>
        <translation>节点类型</translation>
    </message>
    <message>
        <source>note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Clean-up</source>
        <translation>清理</translation>
    </message>
    <message>
        <source>nothing to remove</source>
        <translation>没有可移除的内容</translation>
    </message>
    <message>
        <source>Rewrites</source>
        <translation>重写</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>图</translation>
    </message>
    <message>
        <source>%1, built in</source>
        <translation>%1（内置）</translation>
    </message>
    <message>
        <source>V, nodes</source>
        <translation>V，节点</translation>
    </message>
    <message>
        <source>M, edges</source>
        <translation>M，边</translation>
    </message>
    <message>
        <source>in-degree</source>
        <translation>入度</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 到 %2</translation>
    </message>
    <message>
        <source>mean, median</source>
        <translation>平均值，中位数</translation>
    </message>
    <message>
        <source>classes</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>training nodes</source>
        <translation>训练节点</translation>
    </message>
    <message>
        <source>validation nodes</source>
        <translation>验证节点</translation>
    </message>
    <message>
        <source>test nodes</source>
        <translation>测试节点</translation>
    </message>
    <message>
        <source>node features</source>
        <translation>节点特征</translation>
    </message>
    <message>
        <source>graph structure</source>
        <translation>图结构</translation>
    </message>
    <message>
        <source>edge features</source>
        <translation>边特征</translation>
    </message>
    <message>
        <source>other</source>
        <translation>其他</translation>
    </message>
</context>
<context>
    <name>cleave::views::Document</name>
    <message>
        <source>Opening %1</source>
        <translation>正在打开 %1</translation>
    </message>
    <message>
        <source>Reading %1</source>
        <translation>正在读取 %1</translation>
    </message>
    <message>
        <source>Verify compares with the outputs in %1.</source>
        <translation>验证时将与 %1 中的输出进行比较。</translation>
    </message>
    <message>
        <source>The plan is the same as that in %1.</source>
        <translation>该方案与 %1 中的方案相同。</translation>
    </message>
    <message>
        <source>Plan written to %1.</source>
        <translation>方案已写入 %1。</translation>
    </message>
    <message>
        <source>Checking the cut</source>
        <translation>正在检查切分</translation>
    </message>
    <message>
        <source>Rewriting %1</source>
        <translation>正在重写 %1</translation>
    </message>
    <message>
        <source>The program is as it was traced: no rewrite applies.</source>
        <translation>程序保持追踪时的原样：没有适用的重写。</translation>
    </message>
    <message>
        <source>Rewrites: %1.</source>
        <translation>重写：%1。</translation>
    </message>
    <message>
        <source>Running layer-wise</source>
        <translation>正在逐层运行</translation>
    </message>
    <message>
        <source>Layer-wise run finished in %1.</source>
        <translation>逐层运行已完成，用时 %1。</translation>
    </message>
    <message>
        <source>Verifying</source>
        <translation>正在验证</translation>
    </message>
    <message>
        <source>Verified: the cut model gives the same answers.</source>
        <translation>验证完成：切分后的模型给出相同的结果。</translation>
    </message>
    <message>
        <source>Verified: the cut model gives different answers.</source>
        <translation>验证完成：切分后的模型给出不同的结果。</translation>
    </message>
    <message>
        <source>Measuring the plan</source>
        <translation>正在测量方案</translation>
    </message>
    <message>
        <source>Profile graph written to %1.</source>
        <translation>性能图已写入 %1。</translation>
    </message>
</context>
<context>
    <name>cleave::views::FindBar</name>
    <message>
        <source>Name of an operator, a tensor or a module</source>
        <translation>算子、张量或模块的名称</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>Previous</source>
        <translation>上一个</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一个</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
</context>
<context>
    <name>cleave::views::GraphPicture</name>
    <message>
        <source>Prologue</source>
        <translation>序段</translation>
    </message>
    <message>
        <source>× %1 more</source>
        <translation>重复 × %1</translation>
    </message>
    <message numerus="yes">
        <source>%n op(s)</source>
        <translation>
            <numerusform>%n 个算子</numerusform>
        </translation>
    </message>
    <message>
        <source>like %1</source>
        <translation>同 %1</translation>
    </message>
</context>
<context>
    <name>cleave::views::GraphScene</name>
    <message>
        <source>Prologue</source>
        <translation>序段</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Outputs</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>once, on the whole graph</source>
        <translation>在全图上执行一次</translation>
    </message>
    <message>
        <source>message degrees %1 to %2</source>
        <translation>消息阶数 %1 到 %2</translation>
    </message>
    <message>
        <source>over all nodes at once</source>
        <translation>一次处理所有节点</translation>
    </message>
    <message>
        <source>message degree %1</source>
        <translation>消息阶数 %1</translation>
    </message>
    <message>
        <source>nodes: %1</source>
        <translation>节点：%1</translation>
    </message>
    <message numerus="yes">
        <source>%n op(s)</source>
        <translation>
            <numerusform>%n 个算子</numerusform>
        </translation>
    </message>
    <message>
        <source>Cut %1</source>
        <translation>切口 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n save point(s)</source>
        <translation>
            <numerusform>%n 个保存点</numerusform>
        </translation>
    </message>
    <message>
        <source>of %1 node types</source>
        <translation>来自 %1 种节点类型</translation>
    </message>
    <message>
        <source>%1 × V %2</source>
        <translation>%1 × V %2</translation>
    </message>
    <message>
        <source>%1 × V</source>
        <translation>%1 × V</translation>
    </message>
    <message>
        <source>%1 = %2</source>
        <translation>%1 = %2</translation>
    </message>
    <message>
        <source>No cut %1</source>
        <translation>无切口 %1</translation>
    </message>
    <message>
        <source>run together</source>
        <translation>合并运行</translation>
    </message>
    <message>
        <source>For all nodes</source>
        <translation>面向所有节点</translation>
    </message>
</context>
<context>
    <name>cleave::views::GraphView</name>
    <message>
        <source>Graph of the model</source>
        <translation>模型的图</translation>
    </message>
    <message>
        <source>Laying out</source>
        <translation>正在布局</translation>
    </message>
    <message numerus="yes">
        <source>%n band(s) are drawn more simply: Graphviz&apos;s dot is missing, failed, or took too long.</source>
        <translation>
            <numerusform>%n 个带以较简单的方式绘制：Graphviz 的 dot 缺失、运行失败或耗时过长。</numerusform>
        </translation>
    </message>
    <message>
        <source>Show every layer</source>
        <translation>显示每一层</translation>
    </message>
    <message>
        <source>Fold the %1 layers that repeat</source>
        <translation>折叠重复的 %1 层</translation>
    </message>
    <message>
        <source>Cut %1</source>
        <translation>切口 %1</translation>
    </message>
    <message>
        <source>Move cut %1</source>
        <translation>移动切口 %1</translation>
    </message>
</context>
<context>
    <name>cleave::views::Inspection</name>
    <message>
        <source>constant</source>
        <translation>常量</translation>
    </message>
    <message>
        <source>graph structure</source>
        <translation>图结构</translation>
    </message>
    <message>
        <source>node rows (V)</source>
        <translation>节点行（V）</translation>
    </message>
    <message>
        <source>edge rows (M)</source>
        <translation>边行（M）</translation>
    </message>
    <message>
        <source>once for the graph (G)</source>
        <translation>整图一份（G）</translation>
    </message>
    <message>
        <source>no rows</source>
        <translation>无行</translation>
    </message>
    <message>
        <source>constant, computed when opened</source>
        <translation>常量，打开时计算</translation>
    </message>
    <message>
        <source>once on the whole graph</source>
        <translation>在全图上执行一次</translation>
    </message>
    <message>
        <source>row by row, found by running it</source>
        <translation>逐行，经试运行得知</translation>
    </message>
    <message>
        <source>row by row</source>
        <translation>逐行</translation>
    </message>
    <message>
        <source>gather from neighbours</source>
        <translation>从邻居收集</translation>
    </message>
    <message>
        <source>gather at the target</source>
        <translation>在目标节点处收集</translation>
    </message>
    <message>
        <source>scatter into node rows</source>
        <translation>散布到节点行</translation>
    </message>
    <message>
        <source>rows after each other</source>
        <translation>按行拼接</translation>
    </message>
    <message>
        <source>over all nodes at once, between functions</source>
        <translation>在函数之间，一次处理所有节点</translation>
    </message>
    <message>
        <source>the prologue</source>
        <translation>序段</translation>
    </message>
    <message>
        <source>Operator in %1</source>
        <translation>算子，位于%1</translation>
    </message>
    <message>
        <source>Operator</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>target</source>
        <translation>调用目标</translation>
    </message>
    <message>
        <source>works</source>
        <translation>工作方式</translation>
    </message>
    <message>
        <source>message degree</source>
        <translation>消息阶数</translation>
    </message>
    <message>
        <source>index</source>
        <translation>索引</translation>
    </message>
    <message>
        <source>Module</source>
        <translation>模块</translation>
    </message>
    <message>
        <source>path</source>
        <translation>路径</translation>
    </message>
    <message>
        <source>the model itself</source>
        <translation>模型本身</translation>
    </message>
    <message>
        <source>class</source>
        <translation>类</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>源代码</translation>
    </message>
    <message>
        <source>line</source>
        <translation>所在行</translation>
    </message>
    <message>
        <source>code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>调用参数</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Gives</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>rows · entries of a row · bytes of an entry, for the whole graph</source>
        <translation>行数 · 每行元素数 · 每个元素的字节数，按全图计</translation>
    </message>
    <message>
        <source>Cost in this plan</source>
        <translation>在此方案中的代价</translation>
    </message>
    <message>
        <source>time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Predicted; what message passing does on edges counts for its scatter</source>
        <translation>预测值；消息传递在边上的工作计入其散布算子</translation>
    </message>
    <message>
        <source>memory moved</source>
        <translation>内存读写量</translation>
    </message>
    <message>
        <source>arithmetic</source>
        <translation>运算量</translation>
    </message>
    <message>
        <source>%1 operations</source>
        <translation>%1 次运算</translation>
    </message>
    <message>
        <source>Module in %1</source>
        <translation>模块，位于%1</translation>
    </message>
    <message>
        <source>Here</source>
        <translation>此处</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>operators</source>
        <translation>算子数</translation>
    </message>
    <message>
        <source>× %1 more</source>
        <translation>重复 × %1</translation>
    </message>
    <message>
        <source>Operators</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>…</source>
        <translation>…</translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>另有 %1 个</translation>
    </message>
    <message>
        <source>Prologue</source>
        <translation>序段</translation>
    </message>
    <message>
        <source>Computed once, on the whole graph</source>
        <translation>在全图上计算一次</translation>
    </message>
    <message>
        <source>Read by functions</source>
        <translation>供函数读取</translation>
    </message>
    <message>
        <source>Input of the model</source>
        <translation>模型输入</translation>
    </message>
    <message>
        <source>Output of the model</source>
        <translation>模型输出</translation>
    </message>
    <message>
        <source>Save point</source>
        <translation>保存点</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>type</source>
        <translation>数据类型</translation>
    </message>
    <message>
        <source>shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>行</translation>
    </message>
    <message>
        <source>bytes per row</source>
        <translation>每行字节数</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节数</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用情况</translation>
    </message>
    <message>
        <source>written by</source>
        <translation>写入方</translation>
    </message>
    <message>
        <source>the caller</source>
        <translation>调用方</translation>
    </message>
    <message>
        <source>read by</source>
        <translation>读取方</translation>
    </message>
    <message>
        <source>written</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%1，用时 %2</translation>
    </message>
    <message>
        <source>%1, handed on without a copy</source>
        <translation>%1，直接传递，不复制</translation>
    </message>
    <message>
        <source>read by %1</source>
        <translation>读取（%1）</translation>
    </message>
    <message>
        <source>%1, in %2</source>
        <translation>%1，用时 %2</translation>
    </message>
    <message>
        <source>%1 = %2 rows</source>
        <translation>%1 = %2 行</translation>
    </message>
    <message>
        <source>%1 B</source>
        <translation>%1 B</translation>
    </message>
    <message>
        <source>%1 = %2</source>
        <translation>%1 = %2</translation>
    </message>
    <message>
        <source>number</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>operators of each repetition</source>
        <translation>每次重复的算子</translation>
    </message>
    <message>
        <source>Cut %1</source>
        <translation>切口 %1</translation>
    </message>
    <message>
        <source>Between functions %1 and %2</source>
        <translation>函数 %1 与函数 %2 之间</translation>
    </message>
    <message>
        <source>In the store</source>
        <translation>存储区中</translation>
    </message>
    <message>
        <source>input, %1</source>
        <translation>输入，%1</translation>
    </message>
    <message>
        <source>Predicted, for writing and reading these tensors</source>
        <translation>预测值，用于写入和读取这些张量</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>%1, like %2</source>
        <translation>%1，同 %2</translation>
    </message>
</context>
<context>
    <name>cleave::views::Inspector</name>
    <message>
        <source>Properties of the selection</source>
        <translation>所选项的属性</translation>
    </message>
    <message>
        <source>Nothing selected</source>
        <translation>未选中任何项</translation>
    </message>
    <message>
        <source>Click a box or the line of a cut; in the graph, arrow keys select a box and Tab a cut.</source>
        <translation>单击一个方框或切口的线；在图中，方向键选中方框，Tab 键选中切口。</translation>
    </message>
</context>
<context>
    <name>cleave::views::Job</name>
    <message>
        <source>There is not enough memory for this; use a smaller batch size or close other programs.</source>
        <translation>内存不足，无法完成此操作；请减小批大小，或关闭其他程序。</translation>
    </message>
</context>
<context>
    <name>cleave::views::Legend</name>
    <message>
        <source>Legend</source>
        <translation>图例</translation>
    </message>
    <message>
        <source>Colours show the message degree, outlines what rows a box works on: V nodes round and blue, M edges dotted, G what is there once for the graph dashed.</source>
        <translation>颜色表示消息阶数，轮廓表示方框处理的行：V 为节点，圆角、蓝色；M 为边，点线；G 为全图只有一份的内容，虚线。</translation>
    </message>
    <message>
        <source>Message degree</source>
        <translation>消息阶数</translation>
    </message>
    <message>
        <source>V: node rows</source>
        <translation>V：节点行</translation>
    </message>
    <message>
        <source>M: edge rows</source>
        <translation>M：边行</translation>
    </message>
    <message>
        <source>G: once for the graph</source>
        <translation>G：全图一份</translation>
    </message>
    <message>
        <source>both</source>
        <translation>两者皆有</translation>
    </message>
    <message>
        <source>structure</source>
        <translation>结构</translation>
    </message>
    <message>
        <source>reads structure</source>
        <translation>读取结构</translation>
    </message>
    <message>
        <source>cut</source>
        <translation>切口</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>阶段</translation>
    </message>
</context>
<context>
    <name>cleave::views::MainWindow</name>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Why layer-wise inference works</source>
        <translation>逐层推理为何可行(&amp;W)</translation>
    </message>
    <message>
        <source>F2</source>
        <translation>F2</translation>
    </message>
    <message>
        <source>&amp;About Cleave</source>
        <translation>关于 Cleave(&amp;A)</translation>
    </message>
    <message>
        <source>Model and graph</source>
        <translation>模型和图</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>Cut at message degree</source>
        <translation>按消息阶数切分</translation>
    </message>
    <message>
        <source>History of the plan</source>
        <translation>方案的历史</translation>
    </message>
    <message>
        <source>History</source>
        <translation>历史</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Story</source>
        <translation>讲解</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>Open &amp;model…</source>
        <translation>打开模型(&amp;M)…</translation>
    </message>
    <message>
        <source>Open model</source>
        <translation>打开模型</translation>
    </message>
    <message>
        <source>Open &amp;graph…</source>
        <translation>打开图(&amp;G)…</translation>
    </message>
    <message>
        <source>Ctrl+G</source>
        <translation>Ctrl+G</translation>
    </message>
    <message>
        <source>Open graph</source>
        <translation>打开图</translation>
    </message>
    <message>
        <source>Graphs (*.npz *.csv *.tsv *.txt *.mtx *.graphml *.dot *.gv *.gz);;All files (*)</source>
        <translation>图 (*.npz *.csv *.tsv *.txt *.mtx *.graphml *.dot *.gv *.gz);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Open Zachary&apos;s &amp;karate club</source>
        <translation>打开 Zachary 空手道俱乐部(&amp;K)</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>打开最近的文件(&amp;R)</translation>
    </message>
    <message>
        <source>Open expected &amp;outputs…</source>
        <translation>打开期望输出(&amp;O)…</translation>
    </message>
    <message>
        <source>Open expected outputs</source>
        <translation>打开期望输出</translation>
    </message>
    <message>
        <source>Arrays (*.npz);;All files (*)</source>
        <translation>数组 (*.npz);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Outputs recorded elsewhere: arrays named expected, or expected_0, expected_1, …</source>
        <translation>在别处记录的输出：名为 expected 的数组，或名为 expected_0、expected_1、… 的数组</translation>
    </message>
    <message>
        <source>Open &amp;plan…</source>
        <translation>打开方案(&amp;P)…</translation>
    </message>
    <message>
        <source>Open plan</source>
        <translation>打开方案</translation>
    </message>
    <message>
        <source>Plans (*.cleave.json);;All files (*)</source>
        <translation>方案 (*.cleave.json);;所有文件 (*)</translation>
    </message>
    <message>
        <source>&amp;Save plan…</source>
        <translation>保存方案(&amp;S)…</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>导出(&amp;E)…</translation>
    </message>
    <message>
        <source>Ctrl+E</source>
        <translation>Ctrl+E</translation>
    </message>
    <message>
        <source>Export plan as P&amp;ython…</source>
        <translation>将方案导出为 Python(&amp;Y)…</translation>
    </message>
    <message>
        <source>Se&amp;ttings…</source>
        <translation>设置(&amp;T)…</translation>
    </message>
    <message>
        <source>Ctrl+,</source>
        <translation>Ctrl+,</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Plan</source>
        <translation>方案(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>Ctrl+Shift+Z</source>
        <translation>Ctrl+Shift+Z</translation>
    </message>
    <message>
        <source>Ctrl+Y</source>
        <translation>Ctrl+Y</translation>
    </message>
    <message>
        <source>&amp;Compare with a plan…</source>
        <translation>与其他方案比较(&amp;C)…</translation>
    </message>
    <message>
        <source>Compare with a plan</source>
        <translation>与其他方案比较</translation>
    </message>
    <message>
        <source>&amp;End the comparison</source>
        <translation>结束比较(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>Run &amp;layer-wise</source>
        <translation>逐层运行(&amp;L)</translation>
    </message>
    <message>
        <source>Ctrl+R</source>
        <translation>Ctrl+R</translation>
    </message>
    <message>
        <source>&amp;Verify</source>
        <translation>验证(&amp;V)</translation>
    </message>
    <message>
        <source>Ctrl+Shift+R</source>
        <translation>Ctrl+Shift+R</translation>
    </message>
    <message>
        <source>Random &amp;features where the graph has none</source>
        <translation>图中没有的特征用随机数代替(&amp;F)</translation>
    </message>
    <message>
        <source>Re&amp;writes</source>
        <translation>重写(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>取消(&amp;C)</translation>
    </message>
    <message>
        <source>Ctrl+.</source>
        <translation>Ctrl+.</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Fit</source>
        <translation>适应窗口(&amp;F)</translation>
    </message>
    <message>
        <source>F</source>
        <translation>F</translation>
    </message>
    <message>
        <source>Zoom &amp;in</source>
        <translation>放大(&amp;I)</translation>
    </message>
    <message>
        <source>Zoom &amp;out</source>
        <translation>缩小(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;100 %</source>
        <translation>100%(&amp;1)</translation>
    </message>
    <message>
        <source>Ctrl+1</source>
        <translation>Ctrl+1</translation>
    </message>
    <message>
        <source>&amp;Expand all</source>
        <translation>全部展开(&amp;E)</translation>
    </message>
    <message>
        <source>Ctrl+Shift+E</source>
        <translation>Ctrl+Shift+E</translation>
    </message>
    <message>
        <source>&amp;Collapse all</source>
        <translation>全部收起(&amp;C)</translation>
    </message>
    <message>
        <source>Ctrl+Shift+C</source>
        <translation>Ctrl+Shift+C</translation>
    </message>
    <message>
        <source>Fold &amp;repeated layers</source>
        <translation>折叠重复层(&amp;R)</translation>
    </message>
    <message>
        <source>S&amp;tructure arrows</source>
        <translation>结构箭头(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Larger text</source>
        <translation>增大文字(&amp;L)</translation>
    </message>
    <message>
        <source>Ctrl+Shift++</source>
        <translation>Ctrl+Shift++</translation>
    </message>
    <message>
        <source>&amp;Smaller text</source>
        <translation>减小文字(&amp;S)</translation>
    </message>
    <message>
        <source>Ctrl+Shift+-</source>
        <translation>Ctrl+Shift+-</translation>
    </message>
    <message>
        <source>&amp;Presenter view</source>
        <translation>演讲视图(&amp;P)</translation>
    </message>
    <message>
        <source>F11</source>
        <translation>F11</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>--rewrite %1 on the command line</source>
        <translation>在命令行中为 --rewrite %1</translation>
    </message>
    <message>
        <source>&amp;All</source>
        <translation>全部(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;None: the program as it was traced</source>
        <translation>不重写：保持追踪所得的程序(&amp;N)</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Written: %1.</source>
        <translation>已写入 %1。</translation>
    </message>
    <message>
        <source>Folder for the Python package</source>
        <translation>选择 Python 包的文件夹</translation>
    </message>
    <message>
        <source>Python package written to %1.</source>
        <translation>Python 包已写入 %1。</translation>
    </message>
    <message>
        <source>Save plan</source>
        <translation>保存方案</translation>
    </message>
    <message>
        <source>Plans (*.cleave.json)</source>
        <translation>方案 (*.cleave.json)</translation>
    </message>
    <message>
        <source>Plan not saved</source>
        <translation>方案未保存</translation>
    </message>
    <message>
        <source>The plan of %1 was changed and is not saved.</source>
        <translation>%1 的方案已更改，尚未保存。</translation>
    </message>
    <message>
        <source>The plan of %1, changed %2, was not saved.</source>
        <translation>%1 的方案（更改于 %2）未保存。</translation>
    </message>
    <message>
        <source>&amp;Restore</source>
        <translation>恢复(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Discard</source>
        <translation>丢弃(&amp;D)</translation>
    </message>
    <message>
        <source>None yet</source>
        <translation>暂无</translation>
    </message>
    <message>
        <source>About Cleave</source>
        <translation>关于 Cleave</translation>
    </message>
    <message>
        <source>&lt;b&gt;Cleave %1&lt;/b&gt;&lt;p&gt;Visual splitting of graph neural networks.&lt;/p&gt;&lt;p&gt;LibTorch %2, Qt %3, Graphviz %4&lt;/p&gt;&lt;p&gt;MIT licence.&lt;/p&gt;</source>
        <translation>&lt;b&gt;Cleave %1&lt;/b&gt;&lt;p&gt;图神经网络的可视化切分工具。&lt;/p&gt;&lt;p&gt;LibTorch %2，Qt %3，Graphviz %4&lt;/p&gt;&lt;p&gt;MIT 许可证。&lt;/p&gt;</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>缺失</translation>
    </message>
    <message>
        <source>Laying out</source>
        <translation>正在布局</translation>
    </message>
    <message>
        <source>Cleave</source>
        <translation>Cleave</translation>
    </message>
    <message>
        <source>%1[*] – Cleave</source>
        <translation>%1[*] – Cleave</translation>
    </message>
    <message>
        <source>Tables</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Take %1 as %2</source>
        <translation>将 %1 视为%2</translation>
    </message>
    <message>
        <source>Pr&amp;int…</source>
        <translation>打印(&amp;I)…</translation>
    </message>
    <message>
        <source>Fi&amp;nd…</source>
        <translation>查找(&amp;N)…</translation>
    </message>
    <message>
        <source>&lt;div style=&apos;font-size:xx-large&apos;&gt;Drop a model here&lt;/div&gt;&lt;p&gt;or open one with &lt;b&gt;Ctrl+O&lt;/b&gt;: a file that &lt;code&gt;torch.export.save&lt;/code&gt; or &lt;code&gt;torch.jit.save&lt;/code&gt; wrote (.pt2, .pt).&lt;/p&gt;&lt;p&gt;Then open a graph (.npz, .csv, .mtx …) with &lt;b&gt;Ctrl+G&lt;/b&gt; to run the model on it.&lt;/p&gt;</source>
        <translation>&lt;div style=&apos;font-size:xx-large&apos;&gt;将模型拖放到此处&lt;/div&gt;&lt;p&gt;或按 &lt;b&gt;Ctrl+O&lt;/b&gt; 打开由 &lt;code&gt;torch.export.save&lt;/code&gt; 或 &lt;code&gt;torch.jit.save&lt;/code&gt; 写出的文件 (.pt2, .pt)。&lt;/p&gt;&lt;p&gt;然后按 &lt;b&gt;Ctrl+G&lt;/b&gt; 打开图 (.npz、.csv、.mtx 等)，在其上运行模型。&lt;/p&gt;</translation>
    </message>
    <message>
        <source>Models (*.pt2 *.pt);;PipeDream profile graphs (*.txt);;All files (*)</source>
        <translation>模型 (*.pt2 *.pt);;PipeDream 性能图 (*.txt);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Pictures (*.svg *.pdf *.png);;Graphviz (*.dot);;Report (*.html);;Table of costs (*.csv);;PipeDream profile graph, measured on the graph (*.txt)</source>
        <translation>图片 (*.svg *.pdf *.png);;Graphviz (*.dot);;报告 (*.html);;代价表 (*.csv);;在图上测量的 PipeDream 性能图 (*.txt)</translation>
    </message>
    <message>
        <source>Take this width of %1</source>
        <translation>将此宽度用于 %1</translation>
    </message>
</context>
<context>
    <name>cleave::views::MessageBar</name>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Dismiss the message</source>
        <translation>关闭消息</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
</context>
<context>
    <name>cleave::views::ModelPanel</name>
    <message>
        <source>Absolute tolerance</source>
        <translation>绝对容差</translation>
    </message>
    <message>
        <source>Equal: |a − b| ≤ absolute + relative · |b|</source>
        <translation>相同：|a − b| ≤ 绝对容差 + 相对容差 · |b|</translation>
    </message>
    <message>
        <source>Relative tolerance</source>
        <translation>相对容差</translation>
    </message>
    <message>
        <source>Run layer-wise</source>
        <translation>逐层运行</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>Model and graph</source>
        <translation>模型和图</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>Target nodes of one batch; 0 lets Cleave choose</source>
        <translation>一个批次的目标节点数；设为 0 则由 Cleave 选择</translation>
    </message>
    <message>
        <source>Node order</source>
        <translation>节点顺序</translation>
    </message>
    <message>
        <source>The order in which batches take the nodes: neighbours near each other make smaller blocks</source>
        <translation>各批次选取节点的顺序：邻居排得越近，块越小</translation>
    </message>
    <message>
        <source>As in the file</source>
        <translation>按文件中的顺序</translation>
    </message>
    <message>
        <source>Most edges first</source>
        <translation>边多者优先</translation>
    </message>
    <message>
        <source>Breadth first</source>
        <translation>广度优先</translation>
    </message>
    <message>
        <source>Clusters (METIS)</source>
        <translation>聚类 (METIS)</translation>
    </message>
    <message>
        <source>Run the cut model function by function over one-hop blocks</source>
        <translation>在一跳块上逐个函数运行切分后的模型</translation>
    </message>
    <message>
        <source>Run the whole model and the cut one and compare their answers</source>
        <translation>分别运行整个模型和切分后的模型，并比较结果</translation>
    </message>
    <message>
        <source>&amp;Batch size</source>
        <translation>批大小(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Order</source>
        <translation>顺序(&amp;O)</translation>
    </message>
    <message>
        <source>Tolerance</source>
        <translation>容差</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>none loaded</source>
        <translation>未加载</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>图</translation>
    </message>
    <message>
        <source>Expected outputs</source>
        <translation>期望输出</translation>
    </message>
    <message>
        <source>file</source>
        <translation>文件</translation>
    </message>
</context>
<context>
    <name>cleave::views::PlanCosts</name>
    <message>
        <source>Counting rows of blocks</source>
        <translation>正在统计块行数</translation>
    </message>
    <message>
        <source>Planning</source>
        <translation>正在规划</translation>
    </message>
    <message>
        <source>Comparing batch sizes</source>
        <translation>正在比较批大小</translation>
    </message>
    <message>
        <source>Message degree</source>
        <translation>消息阶数</translation>
    </message>
    <message>
        <source>Greedy</source>
        <translation>贪心</translation>
    </message>
    <message>
        <source>Optimal</source>
        <translation>最优</translation>
    </message>
    <message>
        <source>Full graph</source>
        <translation>全图</translation>
    </message>
    <message>
        <source>Node-wise</source>
        <translation>逐节点</translation>
    </message>
</context>
<context>
    <name>cleave::views::PlanDrag</name>
    <message>
        <source>
%1 → %2
%3 → %4 read and written</source>
        <translation>
%1 → %2
读写 %3 → %4</translation>
    </message>
    <message>
        <source>✗ %1</source>
        <translation>✗ %1</translation>
    </message>
    <message numerus="yes">
        <source>, with %n other op(s)</source>
        <translation>
            <numerusform>，连带另外 %n 个算子</numerusform>
        </translation>
    </message>
    <message>
        <source>Move cut %1</source>
        <translation>移动切口 %1</translation>
    </message>
    <message>
        <source>Cut %1 saves %2</source>
        <translation>切口 %1 保存：%2</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>cleave::views::PlanEditor</name>
    <message>
        <source>Open the plan %1</source>
        <translation>打开方案 %1</translation>
    </message>
    <message>
        <source>%1: %2 here, %3 in %4.</source>
        <translation>%1：此处在%2，%4 中在%3。</translation>
    </message>
    <message>
        <source>Move %1 %2</source>
        <translation>将 %1 移到%2</translation>
    </message>
    <message>
        <source>Save %1 at cut %2</source>
        <translation>在切口 %2 处保存 %1</translation>
    </message>
    <message>
        <source>Do not save %1 at cut %2</source>
        <translation>不在切口 %2 处保存 %1</translation>
    </message>
    <message>
        <source>%1, with %2</source>
        <translation>%1，连带 %2</translation>
    </message>
    <message>
        <source>Pin %1 to function %2</source>
        <translation>将 %1 固定到函数 %2</translation>
    </message>
    <message>
        <source>Unpin %1</source>
        <translation>取消固定 %1</translation>
    </message>
    <message>
        <source>Keep %1 and %2 together</source>
        <translation>将 %1 与 %2 绑定在一起</translation>
    </message>
    <message>
        <source>Let %1 go its own way</source>
        <translation>解除 %1 的绑定</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 和另外 %n 个算子</numerusform>
        </translation>
    </message>
    <message>
        <source>before message passing %1</source>
        <translation>消息传递 %1 之前</translation>
    </message>
    <message>
        <source>to function %1</source>
        <translation>函数 %1</translation>
    </message>
    <message>
        <source>Run functions %1 and %2 together</source>
        <translation>将函数 %1 和函数 %2 合并运行</translation>
    </message>
    <message>
        <source>Run functions %1 and %2 one after the other</source>
        <translation>将函数 %1 和函数 %2 依次运行</translation>
    </message>
    <message>
        <source>Functions %1 and %2 run together here, but not in %3.</source>
        <translation>此处函数 %1 和函数 %2 合并运行，而在 %3 中不是。</translation>
    </message>
    <message>
        <source>Functions %1 and %2 run together in %3, but not here.</source>
        <translation>在 %3 中函数 %1 和函数 %2 合并运行，而此处不是。</translation>
    </message>
</context>
<context>
    <name>cleave::views::PlanMarks</name>
    <message>
        <source>pinned</source>
        <translation>已固定</translation>
    </message>
    <message>
        <source>together %1</source>
        <translation>绑定组 %1</translation>
    </message>
    <message>
        <source>%1 saved at cut %2</source>
        <translation>%1 在切口 %2 处保存</translation>
    </message>
    <message>
        <source>%1 of %2 ops moved</source>
        <translation>已移动 %1/%2 个算子</translation>
    </message>
</context>
<context>
    <name>cleave::views::PlanMenu</name>
    <message>
        <source>Move %1</source>
        <translation>移到%1</translation>
    </message>
    <message>
        <source>Do not save at cut %1</source>
        <translation>不在切口 %1 处保存</translation>
    </message>
    <message>
        <source>Save at cut %1</source>
        <translation>在切口 %1 处保存</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消固定</translation>
    </message>
    <message>
        <source>Pin to function %1</source>
        <translation>固定到函数 %1</translation>
    </message>
    <message>
        <source>Keep together with %1</source>
        <translation>与 %1 绑定在一起</translation>
    </message>
    <message>
        <source>Let it go its own way</source>
        <translation>解除绑定</translation>
    </message>
    <message>
        <source>Stays in its function, whatever the plan</source>
        <translation>无论采用什么方案，都留在其函数中</translation>
    </message>
    <message>
        <source>Run functions %1 and %2 one after the other</source>
        <translation>将函数 %1 和函数 %2 依次运行</translation>
    </message>
    <message>
        <source>Run functions %1 and %2 together</source>
        <translation>将函数 %1 和函数 %2 合并运行</translation>
    </message>
    <message>
        <source>Over blocks of one hop more, with nothing saved between them</source>
        <translation>使用多一跳的块，两者之间不保存任何内容</translation>
    </message>
</context>
<context>
    <name>cleave::views::PlanPanel</name>
    <message>
        <source>at most %1 of memory</source>
        <translation>内存峰值 %1</translation>
    </message>
    <message>
        <source>Cost of plans</source>
        <translation>各方案的代价</translation>
    </message>
    <message>
        <source>Double-click a plan to take it</source>
        <translation>双击方案即可采用</translation>
    </message>
    <message>
        <source>Cost of each function</source>
        <translation>各函数的代价</translation>
    </message>
    <message>
        <source>Cut right before each message passing</source>
        <translation>紧挨在每次消息传递之前切分</translation>
    </message>
    <message>
        <source>Take save points that lower the total, one after the other</source>
        <translation>逐个采用能降低总代价的保存点</translation>
    </message>
    <message>
        <source>The least predicted seconds of all legal plans</source>
        <translation>所有合法方案中预测用时最短的方案</translation>
    </message>
    <message>
        <source>Save points</source>
        <translation>保存点</translation>
    </message>
    <message>
        <source>This plan</source>
        <translation>此方案</translation>
    </message>
    <message>
        <source>Open a model first.</source>
        <translation>请先打开模型。</translation>
    </message>
    <message>
        <source>Costs are hidden until you ask for them in the story.</source>
        <translation>代价已隐藏，可在讲解中选择显示。</translation>
    </message>
    <message>
        <source>Predicted for batches of %1 nodes: %2 read, %3 written.</source>
        <translation>按每批 %1 个节点预测：读取 %2，写入 %3。</translation>
    </message>
    <message>
        <source>Counting the rows of blocks on the graph…</source>
        <translation>正在统计图上各块的行数…</translation>
    </message>
    <message>
        <source>Open a graph to see what plans cost.</source>
        <translation>打开一个图，即可查看各方案的代价。</translation>
    </message>
    <message>
        <source>Take the plan “%1”</source>
        <translation>采用方案“%1”</translation>
    </message>
    <message>
        <source>All functions together, over blocks of as many hops: the neighbourhood of each batch is computed anew</source>
        <translation>所有函数合并运行，使用同样多跳的块：每个批次的邻域都重新计算</translation>
    </message>
    <message>
        <source>All functions together, in one batch of all nodes</source>
        <translation>所有函数合并运行，全部节点为一个批次</translation>
    </message>
</context>
<context>
    <name>cleave::views::PropertyModel</name>
    <message>
        <source>Property</source>
        <translation>属性</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
</context>
<context>
    <name>cleave::views::PropertyView</name>
    <message>
        <source>Copy value</source>
        <translation>复制值</translation>
    </message>
</context>
<context>
    <name>cleave::views::Report</name>
    <message>
        <source>This plan</source>
        <translation>此方案</translation>
    </message>
    <message>
        <source>plan</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>read</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>written</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>at most of memory</source>
        <translation>内存峰值</translation>
    </message>
    <message>
        <source>function</source>
        <translation>函数</translation>
    </message>
    <message>
        <source>blocks</source>
        <translation>建块</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>write</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>together</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>%1, cut by Cleave</source>
        <translation>%1，由 Cleave 切分</translation>
    </message>
    <message>
        <source>Plans</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>Functions of this plan</source>
        <translation>此方案的函数</translation>
    </message>
    <message>
        <source>Save points</source>
        <translation>保存点</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Verification</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>准确率</translation>
    </message>
</context>
<context>
    <name>cleave::views::ResultModels</name>
    <message>
        <source>Function</source>
        <translation>函数</translation>
    </message>
    <message>
        <source>Batches</source>
        <translation>批次数</translation>
    </message>
    <message>
        <source>Batches that it ran</source>
        <translation>运行的批次数</translation>
    </message>
    <message>
        <source>V rows</source>
        <translation>V 行</translation>
    </message>
    <message>
        <source>Target rows computed</source>
        <translation>计算的目标节点行数</translation>
    </message>
    <message>
        <source>E rows</source>
        <translation>E 行</translation>
    </message>
    <message>
        <source>Nodes of all blocks, each counted once per block that needs it</source>
        <translation>所有块的节点数，同一节点被几个块用到就计几次</translation>
    </message>
    <message>
        <source>Edges</source>
        <translation>边数</translation>
    </message>
    <message>
        <source>Edges of all blocks</source>
        <translation>所有块的边数</translation>
    </message>
    <message>
        <source>Prepare</source>
        <translation>准备</translation>
    </message>
    <message>
        <source>Cutting blocks and slicing structure</source>
        <translation>切出块并截取结构</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Running the operators</source>
        <translation>运行算子</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>Storing save points</source>
        <translation>存储保存点</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>总计</translation>
    </message>
    <message>
        <source>Prepare, compute and write together</source>
        <translation>准备、计算与写入之和</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Total by the cost model. Rates: %1</source>
        <translation>代价模型给出的总计。速率：%1</translation>
    </message>
    <message>
        <source>Total by the cost model</source>
        <translation>代价模型给出的总计</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Bytes written to the store</source>
        <translation>写入存储区的字节数</translation>
    </message>
    <message>
        <source>Together</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Compared</source>
        <translation>比较对象</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Largest absolute difference of an element</source>
        <translation>单个元素的最大绝对差异</translation>
    </message>
    <message>
        <source>Relative</source>
        <translation>相对差异</translation>
    </message>
    <message>
        <source>The same relative to the largest element</source>
        <translation>最大绝对差异与最大元素之比</translation>
    </message>
    <message>
        <source>Rows over</source>
        <translation>超出容差的行</translation>
    </message>
    <message>
        <source>Rows with an element over tolerance</source>
        <translation>含有超出容差的元素的行</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <translation>%1与%2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>✓ equal</source>
        <translation>✓ 相同</translation>
    </message>
    <message>
        <source>✗ different</source>
        <translation>✗ 不同</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>准确率</translation>
    </message>
    <message>
        <source>Share of these nodes whose largest output is their label</source>
        <translation>这些节点中，最大输出与标签一致的节点所占的比例</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1%</translation>
    </message>
    <message>
        <source>layer-wise</source>
        <translation>逐层</translation>
    </message>
    <message>
        <source>full graph</source>
        <translation>全图</translation>
    </message>
    <message>
        <source>expected</source>
        <translation>期望</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>Worst rows</source>
        <translation>差异最大的行</translation>
    </message>
    <message>
        <source>Rows over tolerance, those that differ most first</source>
        <translation>超出容差的行，差异最大者在前</translation>
    </message>
</context>
<context>
    <name>cleave::views::ResultPanel</name>
    <message>
        <source>Messages</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>Functions of the run</source>
        <translation>本次运行的函数</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>准确率</translation>
    </message>
    <message>
        <source>Open a model first.</source>
        <translation>请先打开模型。</translation>
    </message>
    <message>
        <source>Open a graph to run the model on.</source>
        <translation>打开一个图，即可在其上运行模型。</translation>
    </message>
    <message>
        <source>Nothing has been run yet.</source>
        <translation>尚未运行。</translation>
    </message>
    <message>
        <source>Verify runs the whole model and the cut one and compares their answers.</source>
        <translation>“验证”会运行整个模型和切分后的模型，并比较两者的结果。</translation>
    </message>
    <message>
        <source>Layer-wise with batches of %1 nodes: %2, of which %3 for the prologue.</source>
        <translation>逐层运行，每批 %1 个节点：用时 %2，其中序段 %3。</translation>
    </message>
    <message>
        <source> At most %1 of tensors at once.</source>
        <translation> 张量同时最多占用 %1。</translation>
    </message>
    <message>
        <source>RANDOM NUMBERS in place of %1, which the graph does not have.</source>
        <translation>注意：图中没有 %1，已用随机数代替。</translation>
    </message>
    <message>
        <source>absolute %1, relative %2</source>
        <translation>绝对 %1，相对 %2</translation>
    </message>
    <message>
        <source>✓ Equal: the cut model gives the same answers within tolerance (%1), at a batch size of %2.</source>
        <translation>✓ 相同：切分后的模型在容差（%1）内给出相同的结果，批大小为 %2。</translation>
    </message>
    <message>
        <source>✗ Different: rows are over tolerance (%1), at a batch size of %2.</source>
        <translation>✗ 不同：有行超出容差（%1），批大小为 %2。</translation>
    </message>
</context>
<context>
    <name>cleave::views::Ruler</name>
    <message>
        <source>Bands of the model</source>
        <translation>模型的带</translation>
    </message>
</context>
<context>
    <name>cleave::views::SavePointModel</name>
    <message>
        <source>%1 × V</source>
        <translation>%1 × V</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>%1 = %2</source>
        <translation>%1 = %2</translation>
    </message>
    <message>
        <source>%1: %2 written in %3.</source>
        <translation>%1：写入 %2，用时 %3。</translation>
    </message>
    <message>
        <source>%1: %2, handed on without a copy.</source>
        <translation>%1：%2，直接传递，不复制。</translation>
    </message>
    <message>
        <source>Read at the %1 targets of %2: %3 in %4.</source>
        <translation>%2 在 %1 个目标节点处读取 %3，用时 %4。</translation>
    </message>
    <message>
        <source>Read for the %1 nodes of blocks of %2: %3 in %4.</source>
        <translation>%2 为块中的 %1 个节点读取 %3，用时 %4。</translation>
    </message>
    <message>
        <source>Read along the %1 edges of %2: %3 in %4.</source>
        <translation>%2 沿 %1 条边读取 %3，用时 %4。</translation>
    </message>
    <message>
        <source>It cannot be left out.</source>
        <translation>不能去掉此保存点。</translation>
    </message>
    <message>
        <source>Without it the plan takes %1 instead of %2.</source>
        <translation>去掉后，方案用时由 %2 变为 %1。</translation>
    </message>
    <message>
        <source>Cut %1</source>
        <translation>切口 %1</translation>
    </message>
    <message>
        <source>Save point</source>
        <translation>保存点</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>字节数</translation>
    </message>
    <message>
        <source>Write and read</source>
        <translation>写入与读取</translation>
    </message>
</context>
<context>
    <name>cleave::views::SettingsDialog</name>
    <message>
        <source>Open the last model and graph at &amp;start</source>
        <translation>启动时打开上次的模型和图(&amp;S)</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>As the desktop</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>High contrast</source>
        <translation>高对比度</translation>
    </message>
    <message>
        <source>As the desktop (%1)</source>
        <translation>跟随系统 (%1)</translation>
    </message>
    <message>
        <source>kB, MB, GB: powers of 1000</source>
        <translation>kB、MB、GB：1000 的幂</translation>
    </message>
    <message>
        <source>KiB, MiB, GiB: powers of 1024</source>
        <translation>KiB、MiB、GiB：1024 的幂</translation>
    </message>
    <message>
        <source> pt</source>
        <translation> pt</translation>
    </message>
    <message>
        <source>The language changes at the next start.</source>
        <translation>语言更改将在下次启动时生效。</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>Text si&amp;ze</source>
        <translation>文字大小(&amp;Z)</translation>
    </message>
    <message>
        <source>&amp;Bytes</source>
        <translation>字节单位(&amp;B)</translation>
    </message>
</context>
<context>
    <name>cleave::views::StagedModel</name>
    <message>
        <source>Stage %1</source>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>No stages</source>
        <translation>无阶段</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>nodes</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>参数</translation>
    </message>
    <message numerus="yes">
        <source>%n node(s)</source>
        <translation>
            <numerusform>%n 个节点</numerusform>
        </translation>
    </message>
    <message>
        <source>forward %1</source>
        <translation>前向 %1</translation>
    </message>
    <message>
        <source>backward %1</source>
        <translation>反向 %1</translation>
    </message>
    <message>
        <source>parameters %1</source>
        <translation>参数 %1</translation>
    </message>
    <message>
        <source>Handed on</source>
        <translation>传递</translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s)</source>
        <translation>
            <numerusform>%n 个张量</numerusform>
        </translation>
    </message>
    <message>
        <source>Handed on by stage %1</source>
        <translation>由阶段 %1 传递</translation>
    </message>
    <message>
        <source>Node in stage %1</source>
        <translation>阶段 %1 中的节点</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>description</source>
        <translation>描述</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>Edges</source>
        <translation>边</translation>
    </message>
    <message>
        <source>reads</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>read by</source>
        <translation>被读取</translation>
    </message>
    <message>
        <source>Profile graph</source>
        <translation>性能图</translation>
    </message>
    <message>
        <source>file</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>stages</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>note</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>for viewing: it holds no program</source>
        <translation>仅供查看：不含程序</translation>
    </message>
    <message>
        <source>hands on</source>
        <translation>传递</translation>
    </message>
</context>
<context>
    <name>cleave::views::Story</name>
    <message>
        <source>Batch by batch, every further layer makes the needed neighbourhood larger, until each batch computes nearly the whole club again. Layer by layer, every further layer adds the same: each member once. The answers are the same rows, computed from the same rows.</source>
        <translation>逐批计算时，每多一层，需要的邻域就更大，到最后每一批几乎都要把整个俱乐部重新计算一遍。逐层计算时，每多一层，增加的计算量都一样：每位成员一次。得到的答案是同样的行，由同样的行算出。</translation>
    </message>
    <message>
        <source>Your turn: where would you cut?</source>
        <translation>轮到你了：你会在哪里切？</translation>
    </message>
    <message>
        <source>Between two message passings there are other operations: linear layers, activations, normalisation. A cut may lie before or after them. What is saved is written once and read back; what runs after the cut, before the message passing, is computed for every row of a block, often more than once. Drag the lines of the cuts in the model, or the operations themselves, to where you think the whole takes least time. Costs are hidden until you ask.</source>
        <translation>两次消息传递之间还有其他算子：线性层、激活函数、归一化。切口可以在它们之前，也可以在它们之后。保存的数据只写入一次，之后再读回；在切口之后、消息传递之前运行的算子，要为块的每一行计算，往往不止一次。请拖动模型中的切口线，或拖动算子本身，放到你认为总用时最短的位置。代价暂时隐藏，由你选择何时显示。</translation>
    </message>
    <message>
        <source>A club and its friendships</source>
        <translation>俱乐部与朋友关系</translation>
    </message>
    <message>
        <source>These are the %1 members of a karate club; a line joins two friends. A graph neural network knows a row of numbers about each member, and shall give an answer for each: say, whom they follow when the club splits.</source>
        <translation>这是一家空手道俱乐部的 %1 位成员，每条线连接两位朋友。图神经网络知道每位成员的一行数字，要为每位成员给出一个答案：比如俱乐部分裂时，他会跟随谁。</translation>
    </message>
    <message>
        <source>One layer: ask your friends</source>
        <translation>一层：问问朋友</translation>
    </message>
    <message>
        <source>A layer computes a new row for a member from the rows of the member&apos;s friends: it passes messages along the lines, and adds them up. For member %1 it reads %2 rows: the friend&apos;s and the member&apos;s own.</source>
        <translation>一层会根据朋友们的行，为成员计算新的一行：沿着线传递消息，再把消息相加。对于成员 %1，它读取 %2 行：朋友的行和成员自己的行。</translation>
    </message>
    <message>
        <source>%1 layers: friends of friends</source>
        <translation>%1 层：朋友的朋友</translation>
    </message>
    <message>
        <source>With %1 layers, the friends&apos; rows must have been computed from their friends&apos; rows first. For this one member, the rows of %2 of all %3 members are needed.</source>
        <translation>要算 %1 层，必须先由朋友的朋友们的行算出朋友们的行。仅为这一位成员，就需要全部 %3 位成员中 %2 位的行。</translation>
    </message>
    <message>
        <source>Node by node: the same rows again and again</source>
        <translation>逐节点：同样的行算了又算</translation>
    </message>
    <message>
        <source>The usual way takes some members at a time, here %1, and computes all that their answers need, through all %2 layers: for this batch the rows of %3 members in the layer before the last. The next batch needs most of them once more, and nothing of them was kept. For the whole club that is %4 rows to compute, for %5 that differ.</source>
        <translation>通常的做法是每次取一部分成员（这里是 %1 位），从头到尾经过全部 %2 层，计算他们的答案所需的一切：这一批在倒数第二层就要计算 %3 位成员的行。下一批又要用到其中的大部分，可这些行一个也没有留下。整个俱乐部总共要计算 %4 行，而互不相同的只有 %5 行。</translation>
    </message>
    <message>
        <source>The idea: cut between the layers</source>
        <translation>思路：在层与层之间切开</translation>
    </message>
    <message>
        <source>Compute the first layer for everybody, and save the rows. Then the second layer for everybody, from what was saved. No row is computed twice, and a batch never needs more than its direct friends. The lines between the functions of the model are these cuts; what lies on them is saved.</source>
        <translation>先为所有成员计算第一层，并保存这些行；再由保存的行，为所有成员计算第二层。没有哪一行会计算两次，每一批也只需要直接相连的朋友。模型中函数之间的线就是这些切口，落在线上的数据会被保存。</translation>
    </message>
    <message>
        <source>Function %1, batch %2 of %3</source>
        <translation>函数 %1，第 %2 批，共 %3 批</translation>
    </message>
    <message>
        <source>Reads the features of %1 members, computes the first layer&apos;s rows of %2, and saves them.</source>
        <translation>读取 %1 位成员的特征，计算 %2 位成员第一层的行，并保存。</translation>
    </message>
    <message>
        <source>Reads the saved rows of %1 members from the store of function %2, computes %3 rows of layer %4, and saves them.</source>
        <translation>从函数 %2 的存储区读取 %1 位成员已保存的行，计算第 %4 层的 %3 行，并保存。</translation>
    </message>
    <message>
        <source>Now the store of function %1 is full, and the one before it is not needed any more.</source>
        <translation>现在函数 %1 的存储区已经填满，它前面的存储区不再需要了。</translation>
    </message>
    <message>
        <source>These are the answers of the whole network, for everybody.</source>
        <translation>这就是整个网络为所有成员给出的答案。</translation>
    </message>
    <message>
        <source>How the work grows with the layers</source>
        <translation>计算量随层数的变化</translation>
    </message>
</context>
<context>
    <name>cleave::views::StoryCanvas</name>
    <message>
        <source>Data graph of the story</source>
        <translation>讲解用的数据图</translation>
    </message>
    <message>
        <source>thick: computed · ringed: read</source>
        <translation>加粗：计算 · 圈出：读取</translation>
    </message>
    <message>
        <source>answers</source>
        <translation>答案</translation>
    </message>
    <message>
        <source>store %1</source>
        <translation>存储区 %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1 layers</source>
        <translation>%1 层</translation>
    </message>
    <message>
        <source>Rows computed for everybody, in batches of %1</source>
        <translation>为所有成员计算的行数，每批 %1 位成员</translation>
    </message>
    <message>
        <source>1 layer</source>
        <translation>1 层</translation>
    </message>
    <message>
        <source>hatched: node by node · plain: layer by layer</source>
        <translation>斜线：逐节点 · 纯色：逐层</translation>
    </message>
</context>
<context>
    <name>cleave::views::StoryView</name>
    <message>
        <source>&amp;Back</source>
        <translation>上一步(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Next</source>
        <translation>下一步(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Reveal the costs</source>
        <translation>显示代价(&amp;R)</translation>
    </message>
    <message>
        <source>Show the &amp;optimum</source>
        <translation>显示最优方案(&amp;O)</translation>
    </message>
    <message>
        <source>Step of the story</source>
        <translation>讲解的步骤</translation>
    </message>
    <message>
        <source>Take the optimum</source>
        <translation>采用最优方案</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Open a model and a graph first: costs are those of a real graph.</source>
        <translation>请先打开模型和图：代价要在真实的图上计算。</translation>
    </message>
    <message>
        <source>Yours: %1. Right before each message passing: %2. The best there is: %3.</source>
        <translation>你的方案：%1。紧挨在每次消息传递之前切分：%2。最优方案：%3。</translation>
    </message>
    <message>
        <source>You have found it.</source>
        <translation>你找到了最优方案。</translation>
    </message>
    <message>
        <source>You are %1 % above it.</source>
        <translation>你的方案的代价比最优方案高 %1%。</translation>
    </message>
</context>
<context>
    <name>cleave::views::TablePanel</name>
    <message>
        <source>Operators of the model</source>
        <translation>模型的算子</translation>
    </message>
    <message>
        <source>Costs of the plan</source>
        <translation>方案的代价</translation>
    </message>
    <message>
        <source>Operators</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Costs</source>
        <translation>代价</translation>
    </message>
    <message>
        <source>prologue</source>
        <translation>序段</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Operator</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Module</source>
        <translation>模块</translation>
    </message>
    <message>
        <source>Function</source>
        <translation>函数</translation>
    </message>
    <message>
        <source>of the plan</source>
        <translation>此方案中的函数</translation>
    </message>
    <message>
        <source>Message degree</source>
        <translation>消息阶数</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>行</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Reads</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>This plan</source>
        <translation>此方案</translation>
    </message>
    <message>
        <source>Function or plan</source>
        <translation>函数或方案</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>建块</translation>
    </message>
    <message>
        <source>neighbours found, structure sliced</source>
        <translation>查找邻居，截取结构</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>Together</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>Bytes read</source>
        <translation>读取字节数</translation>
    </message>
    <message>
        <source>Bytes written</source>
        <translation>写入字节数</translation>
    </message>
    <message>
        <source>At most of memory</source>
        <translation>内存峰值</translation>
    </message>
</context>
<context>
    <name>cleave::views::Text</name>
    <message>
        <source>%1 %2</source>
        <comment>a number and its unit</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 B</source>
        <translation>%1 B</translation>
    </message>
</context>
</TS>
